/** Owns the members: who is there, who is invited, and one of them with roles and tags. */
import { UserMinus, UserPlus, Users } from 'lucide-react';
import { useMemo, useState } from 'react';
import { callTool } from '../../../api/call-tool.ts';
import { request } from '../../../api/request.ts';
import { useHeldTools } from '../../../api/held-tools.ts';
import { makeOld } from '../../../api/make-old.ts';
import { useMore } from '../../../api/use-more.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { BulkDelete } from '../../../ui/bulk-delete.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { ListScreen } from '../../../ui/list-screen.tsx';
import { useSection } from '../../../ui/sections.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import { useOpened } from '../../../ui/use-opened.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { When } from '../../../ui/when.tsx';
import { TrustedName } from '../../../ui/trusted-name.tsx';
import type { Invitation } from '../../../api/schema.ts';
import type { Member } from '../queries.ts';
import { useInvitations, useMembers, useOrganizationId, useReadMember, useRoles } from '../queries.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { InvitationDetail, MemberDetail } from './member-detail.tsx';

/** Somebody who is there, or may come. */
type Person =
  | { readonly kind: 'member'; readonly id: string; readonly member: Member }
  | { readonly kind: 'invitation'; readonly id: string; readonly invitation: Invitation };

const keyOf = ({ id }: Person) => id;
const nameOf = (person: Person) => (person.kind === 'member' ? person.member.name : person.invitation.email);
const rolesOf = (person: Person) => (person.kind === 'member' ? person.member : person.invitation).roles;

const columns: Column<Person>[] = [
  {
    id: 'name',
    header: 'Name',
    isServerSorted: true,
    cell: (person) => (
      <>
        <Avatar name={nameOf(person)} size="s" />
        <TrustedName name={nameOf(person)} />
      </>
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    cell: (person) => (
      <span className="truncate muted">{person.kind === 'member' ? (person.member.email ?? '') : ''}</span>
    ),
    isWideOnly: true,
  },
  {
    id: 'roles',
    header: 'Roles',
    cell: (person) => rolesOf(person).map((role) => <Badge key={role}>{role}</Badge>),
  },
  {
    id: 'since',
    header: 'Since',
    isServerSorted: true,
    width: '150px',
    align: 'end',
    cell: (person) =>
      person.kind === 'member' ? (
        <When at={person.member.createdAt} />
      ) : (
        <span className="organization-invited">
          invited, ends <When at={person.invitation.expiresAt} />
        </span>
      ),
  },
];

/** The part of the screen. */
export function Members({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'members');
  const query = useMembers(screen.search);
  const { data: invitations } = useInvitations();
  const { data: roles = [] } = useRoles();
  const [isInviting, setInviting] = useState(false);
  const hasTool = useHeldTools('self');
  const canInvite = hasTool('ORGANIZATION_MEMBER_ADD');
  const orgId = useOrganizationId();
  useKeys({ c: () => setInviting(true) }, !canInvite);
  const more = useMore(query);
  const { q, role } = screen.search;
  const people = useMemo((): readonly Person[] => {
    const members = query.data?.pages.flatMap((page) => page.members) ?? [];
    const invited = (invitations ?? []).filter(
      (one) =>
        (role === undefined || one.roles.includes(role)) && one.email.includes((q ?? '').toLowerCase()),
    );
    return [
      ...invited.map((invitation) => ({ kind: 'invitation' as const, id: invitation.id, invitation })),
      ...members.map((member) => ({ kind: 'member' as const, id: member.id, member })),
    ];
  }, [query.data, invitations, q, role]);
  const readMember = useReadMember();
  const { row: opened, query: openedQuery } = useOpened<Person>({
    id: screen.id,
    rows: people,
    keyOf,
    list: query,
    queryKey: ['members'],
    async read(id, signal) {
      const member = await readMember(id, signal);
      return member && { kind: 'member', id, member };
    },
  });
  const close = () => screen.open(undefined);
  const button = canInvite && (
    <Button size="s" kind="primary" icon={<UserPlus />} onClick={() => setInviting(true)}>
      Invite
    </Button>
  );
  const isNarrow = screen.id !== undefined;
  const removeOne = ({ kind, id }: Person) =>
    kind === 'member'
      ? callTool('self', 'ORGANIZATION_MEMBER_REMOVE', { memberIdOrEmail: id })
      : request('DELETE /api/organizations/{orgId}/invitations/{invitationId}', {
          path: { orgId, invitationId: id },
        });
  const bulk = (chosen: readonly Person[], clear: () => void) =>
    hasTool('ORGANIZATION_MEMBER_REMOVE') && (
      <BulkDelete
        rows={chosen}
        noun={['person', 'people']}
        verb="Remove"
        icon={<UserMinus />}
        goneOf={(person) =>
          person.kind === 'member'
            ? `${nameOf(person)}: the membership with its roles and tags, and all keys here`
            : `${nameOf(person)}: the invitation; its link stops working`
        }
        remove={removeOne}
        onDone={() => {
          makeOld('members', 'keys');
          clear();
        }}
      />
    );
  return (
    <>
      <ListScreen
        title="Members"
        viewsOf="members"
        screen={screen}
        query={query}
        rows={people}
        columns={isNarrow ? columns.filter(({ id }) => id !== 'email' && id !== 'since') : columns}
        keyOf={keyOf}
        // Invitations, then the oldest first: sorting would be of the pages that were read alone.
        isSortedByServer
        defaultSort="since"
        onEnd={more}
        isLoadingMore={query.isFetchingNextPage}
        bulk={bulk}
        filterPlaceholder="Name or e-mail"
        filters={[
          {
            id: 'role',
            label: 'Role',
            options: roles.map(({ name, members }) => ({
              value: name,
              label: name,
              hint: `${members} hold it`,
            })),
          },
        ]}
        actions={button}
        empty={
          <EmptyState icon={<Users />} title="Nobody is here yet" action={button}>
            Invite a colleague: they get a link that works once.
          </EmptyState>
        }
        detail={
          isNarrow &&
          (opened?.kind === 'invitation' ? (
            <InvitationDetail key={opened.id} invitation={opened.invitation} onClose={close} />
          ) : (
            <MemberDetail key={screen.id} member={opened?.member} query={openedQuery} onClose={close} />
          ))
        }
      />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}
