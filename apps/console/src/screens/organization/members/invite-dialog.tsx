/** Owns inviting somebody: who, with which roles, and the link to send them. */
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { makeOld } from '../../../api/make-old.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { When } from '../../../ui/when.tsx';
import type { InvitationWithLink } from '../../../api/schema.ts';
import { useOrganizationId } from '../queries.ts';
import { RoleChoice } from './role-choice.tsx';

/** The form, then the link. */
export function InviteDialog({
  onClose,
  email: given = '',
  roles: before = ['member'],
}: {
  readonly onClose: () => void;
  readonly email?: string;
  readonly roles?: readonly string[];
}) {
  const orgId = useOrganizationId();
  const [email, setEmail] = useState(given);
  const [roles, setRoles] = useState(before);
  const [made, setMade] = useState<InvitationWithLink>();
  const invite = useAct(
    () =>
      request('POST /api/organizations/{orgId}/invitations', {
        path: { orgId },
        body: { email: email.trim(), roles },
      }),
    {
      isQuiet: true,
      onDone: (invitation) => {
        setMade(invitation);
        makeOld('members');
      },
    },
  );
  const canSend = email.includes('@') && roles.length > 0;
  if (made)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={`Send this link to ${made.email}`}
        description={
          <>
            It works once and is shown only now. It ends <When at={made.expiresAt} />.
          </>
        }
        footer={
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <CodeBlock text={new URL(made.path, location.origin).href} isWrapped />
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Invite a colleague"
      description="They open a link, type their name and e-mail, and are in."
      onSubmit={() => canSend && invite.run()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!canSend} isBusy={invite.isBusy}>
            Make the link
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="E-mail" error={invite.error?.message} isRequired>
          <Input type="email" value={email} onText={setEmail} maxLength={254} autoFocus />
        </Field>
        <RoleChoice chosen={roles} onChange={setRoles} />
      </div>
    </Dialog>
  );
}
