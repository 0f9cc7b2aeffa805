/** Owns the roles: a matrix of tools by effect, and the organization's own roles to make, change and delete. */
import { Pencil, Plus, Shield, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { makeOld } from '../../../api/make-old.ts';
import { useSession } from '../../../api/session.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDelete } from '../../../ui/dialog.tsx';
import { Page } from '../../../ui/page.tsx';
import { useSection } from '../../../ui/sections.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { grantsText } from '../grants/grants.ts';
import { useTitles } from '../grants/titles.ts';
import type { Role } from '../../../api/schema.ts';
import { useOrganizationId, useRoles, useTools } from '../queries.ts';
import { RoleDialog } from './role-dialog.tsx';
import { RoleMatrix } from './role-matrix.tsx';

/** The part of the screen. */
export function Roles({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'roles');
  const roles = useRoles();
  const tools = useTools();
  const [edited, setEdited] = useState<Role | 'new'>();
  const [asked, setAsked] = useState<Role>();
  const orgId = useOrganizationId();
  const { role: rank } = useSession();
  const canChange = rank === 'owner' || rank === 'admin';
  useKeys({ c: () => setEdited('new') }, !canChange);
  const removeRole = (roleName: string) =>
    request('DELETE /api/organizations/{orgId}/roles/{roleName}', { path: { orgId, roleName } });
  const remove = useAct(removeRole, {
    onDone: () => {
      setAsked(undefined);
      makeOld('members');
    },
  });
  const own = roles.data?.filter(({ isBuiltIn }) => !isBuiltIn) ?? [];
  return (
    <Page
      title="Roles"
      size="full"
      description="What each role may do with each tool. Roles of your own give their grants besides what members have."
      actions={
        canChange && (
          <Button size="s" kind="primary" icon={<Plus />} onClick={() => setEdited('new')}>
            New role
          </Button>
        )
      }
    >
      {roles.isPending || tools.isPending ? (
        <Skeleton kind="row" rows={8} />
      ) : roles.error || tools.error ? (
        <ErrorState
          error={roles.error ?? tools.error}
          onRetry={() => (roles.error ? roles : tools).refetch()}
        />
      ) : (
        <>
          <OwnRoles roles={own} canChange={canChange} onEdit={setEdited} onDelete={setAsked} />
          <RoleMatrix roles={roles.data} tools={tools.data} screen={screen} />
        </>
      )}
      {edited !== undefined && (
        <RoleDialog
          role={edited === 'new' ? undefined : edited}
          taken={roles.data?.map(({ name }) => name) ?? []}
          onClose={() => setEdited(undefined)}
        />
      )}
      <ConfirmDelete
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked && remove.run(asked.name)}
        isBusy={remove.isBusy}
        title={`Delete the role “${asked?.name ?? ''}”?`}
        gone={[
          `The role itself, for ${asked?.members ?? 0} ${asked?.members === 1 ? 'member' : 'members'}; whoever held no other is a member from then on`,
        ]}
      />
    </Page>
  );
}

function OwnRoles({
  roles,
  canChange,
  onEdit,
  onDelete,
}: {
  readonly roles: readonly Role[];
  readonly canChange: boolean;
  readonly onEdit: (role: Role) => void;
  readonly onDelete: (role: Role) => void;
}) {
  const titleOf = useTitles();
  return (
    <Card title="Your own roles" isFlush>
      {roles.length === 0 ? (
        <EmptyState icon={<Shield />} title="No roles of your own yet">
          <code>owner</code>, <code>admin</code>, <code>member</code> and <code>user</code> are built in.
          {canChange && ' Make one where none of them fits.'}
        </EmptyState>
      ) : (
        <ul className="organization-lines">
          {roles.map((role) => (
            <li key={role.name}>
              <div className="grow">
                <div className="strong">{role.name}</div>
                <div className="small muted">
                  {grantsText(role.grants, titleOf)} · {role.members}{' '}
                  {role.members === 1 ? 'member' : 'members'}
                </div>
              </div>
              {canChange && (
                <>
                  <IconButton label={`Change ${role.name}`} icon={<Pencil />} onClick={() => onEdit(role)} />
                  <IconButton
                    label={`Delete ${role.name}`}
                    icon={<Trash2 />}
                    onClick={() => onDelete(role)}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
