/** Owns making and changing a role of the organization's own. */
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { makeOld } from '../../../api/make-old.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { GrantPicker } from '../grants/grant-picker.tsx';
import type { Role } from '../../../api/schema.ts';
import type { Grants } from '../queries.ts';
import { useOrganizationId } from '../queries.ts';

/** The form; without a role, of a new one. */
export function RoleDialog({
  role,
  taken,
  onClose,
}: {
  readonly role: Role | undefined;
  readonly taken: readonly string[];
  readonly onClose: () => void;
}) {
  const orgId = useOrganizationId();
  const [name, setName] = useState(role?.name ?? '');
  const [grants, setGrants] = useState<Grants>(role?.grants ?? {});
  const path = { orgId, roleName: name.trim() };
  const save = useAct(
    () => request('PUT /api/organizations/{orgId}/roles/{roleName}', { path, body: { grants } }),
    {
      isQuiet: true,
      onDone: () => {
        makeOld('members');
        onClose();
      },
    },
  );
  const isTaken = role === undefined && taken.includes(name.trim());
  const canSend = name.trim() !== '' && !isTaken;
  return (
    <Dialog
      isOpen
      size="l"
      onClose={onClose}
      title={role === undefined ? 'New role' : `Change the role “${role.name}”`}
      description="Whoever holds it may use these tools besides what members have; a change counts with their next request."
      onSubmit={() => canSend && save.run()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!canSend} isBusy={save.isBusy}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        {role === undefined ? (
          <Field
            label="Name"
            error={isTaken ? 'There is a role of this name already.' : save.error?.message}
            isRequired
          >
            <Input value={name} onText={setName} maxLength={64} autoFocus />
          </Field>
        ) : (
          save.error && (
            <p className="organization-fault" role="alert">
              {save.error.message}
            </p>
          )
        )}
        <GrantPicker grants={grants} onChange={setGrants} />
      </div>
    </Dialog>
  );
}
