/** Owns one member, or one invitation: what they may, their tags, and taking either back. */
import { Link2, Trash2, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { callTool } from '../../../api/call-tool.ts';
import { request } from '../../../api/request.ts';
import { useHeldTools } from '../../../api/held-tools.ts';
import { makeOld } from '../../../api/make-old.ts';
import { useSession } from '../../../api/session.ts';
import { useAct } from '../../../api/use-act.ts';
import { useAsking } from '../../../ui/asking.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ShortId } from '../../../ui/copy-button.tsx';
import { DetailPane, Facts } from '../../../ui/detail-pane.tsx';
import type { DetailPaneProps } from '../../../ui/detail-pane.tsx';
import { ConfirmDelete } from '../../../ui/dialog.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { When } from '../../../ui/when.tsx';
import { TrustedName } from '../../../ui/trusted-name.tsx';
import type { Invitation } from '../../../api/schema.ts';
import type { Member } from '../queries.ts';
import { useOrganizationId } from '../queries.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberTags } from './member-tags.tsx';
import { RoleChoice } from './role-choice.tsx';

/** One member beside the list. */
export function MemberDetail({
  member,
  query,
  onClose,
}: {
  readonly member: Member | undefined;
  readonly query: NonNullable<DetailPaneProps['query']>;
  readonly onClose: () => void;
}) {
  return (
    <DetailPane
      title={<TrustedName name={member?.name ?? 'Member'} />}
      name={member?.name}
      query={query}
      onClose={onClose}
      about={member?.roles.map((role) => (
        <Badge key={role}>{role}</Badge>
      ))}
    >
      {member === undefined ? (
        <p className="muted">There is no such member. They may have left.</p>
      ) : (
        <Content key={member.roles.join()} member={member} onClose={onClose} />
      )}
    </DetailPane>
  );
}

function Content({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { person, rail } = useSession();
  const hasTool = useHeldTools('self');
  const [roles, setRoles] = useState(member.roles);
  const [isAsking, setAsking] = useState(false);
  const setOf = (role: readonly string[]) =>
    callTool('self', 'ORGANIZATION_MEMBER_UPDATE_ROLE', { memberId: member.id, role });
  const save = useAct(() => setOf(roles), {
    onDone: () => {
      makeOld('members');
      toast({
        text: `${member.name} is ${roles.join(', ')} now.`,
        onUndo: async () => {
          await setOf(member.roles);
          makeOld('members');
        },
      });
    },
  });
  const remove = useAct(
    () => callTool('self', 'ORGANIZATION_MEMBER_REMOVE', { memberIdOrEmail: member.id }),
    {
      onDone: () => {
        makeOld('members', 'keys');
        onClose();
      },
    },
  );
  const isSame = roles.length === member.roles.length && roles.every((role) => member.roles.includes(role));
  const isMe = person.userId === member.userId;
  return (
    <>
      <Facts
        facts={[
          [
            'E-mail',
            member.email ?? (
              <span key="none" className="faint">
                none
              </span>
            ),
          ],
          ['Since', <When key="since" at={member.createdAt} />],
          rail.includes('monitoring') && [
            'Calls',
            <ScreenLink key="calls" to={`/monitoring/calls?user=${encodeURIComponent(member.userId)}`}>
              Show what they called
            </ScreenLink>,
          ],
          ['Member', <ShortId key="id" id={member.id} />],
        ]}
      />
      {hasTool('ORGANIZATION_MEMBER_UPDATE_ROLE') && (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            save.run();
          }}
        >
          <RoleChoice chosen={roles} onChange={setRoles} />
          <div className="row">
            <Button kind="primary" type="submit" disabled={isSame || roles.length === 0} isBusy={save.isBusy}>
              Save the roles
            </Button>
            {!isSame && <Button onClick={() => setRoles(member.roles)}>Back to before</Button>}
          </div>
        </form>
      )}
      <MemberTags memberId={member.id} canChange={hasTool('MEMBER_TAGS_SET')} />
      {hasTool('ORGANIZATION_MEMBER_REMOVE') && (
        <div>
          <Button kind="danger" icon={<UserMinus />} onClick={() => setAsking(true)}>
            {isMe ? 'Leave the organization' : 'Remove from the organization'}
          </Button>
        </div>
      )}
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.run()}
        isBusy={remove.isBusy}
        confirmText={isMe ? 'Leave' : 'Remove'}
        title={isMe ? 'Leave this organization?' : `Remove ${member.name}?`}
        gone={[
          'The membership with its roles and tags',
          'All keys of theirs in this organization: they stop at once',
        ]}
      />
    </>
  );
}

/** One invitation beside the list. */
export function InvitationDetail({
  invitation,
  onClose,
}: {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}) {
  const orgId = useOrganizationId();
  const hasTool = useHeldTools('self');
  const [isAgain, setAgain] = useState(false);
  const path = { orgId, invitationId: invitation.id };
  const withdraw = useAct(
    () => request('DELETE /api/organizations/{orgId}/invitations/{invitationId}', { path }),
    {
      onDone: () => {
        makeOld('members');
        toast({ text: `The invitation of ${invitation.email} is taken back.` });
        onClose();
      },
    },
  );
  const asking = useAsking();
  const takeBack = () =>
    asking.ask({
      title: `Take back the invitation of ${invitation.email}?`,
      gone: ['The link that they were given'],
      confirmText: 'Take it back',
      onYes: () => withdraw.run(),
    });
  return (
    <DetailPane
      title={<TrustedName name={invitation.email} />}
      name={invitation.email}
      onClose={onClose}
      about={<Badge tone="amber">invited</Badge>}
    >
      <Facts
        facts={[
          ['Joins as', invitation.roles.join(', ')],
          ['Invited', <When key="made" at={invitation.createdAt} />],
          ['Ends', <When key="ends" at={invitation.expiresAt} />],
        ]}
      />
      <p className="muted">The link was shown when it was made. A new one replaces it.</p>
      <div className="row-wrap">
        {hasTool('ORGANIZATION_MEMBER_ADD') && (
          <Button icon={<Link2 />} onClick={() => setAgain(true)}>
            Make a new link
          </Button>
        )}
        {hasTool('ORGANIZATION_MEMBER_REMOVE') && (
          <Button kind="danger" icon={<Trash2 />} isBusy={withdraw.isBusy} onClick={takeBack}>
            Take it back
          </Button>
        )}
      </div>
      {asking.dialog}
      {isAgain && (
        <InviteDialog email={invitation.email} roles={invitation.roles} onClose={() => setAgain(false)} />
      )}
    </DetailPane>
  );
}
