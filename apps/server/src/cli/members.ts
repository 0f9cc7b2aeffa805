/** `parley members`: who belongs to the organization of the key, and the links with which others join it. */
import type { Invitation, Member } from '@parley/identity';
import { isRank } from '@parley/identity';
import { isTeam, ToolError } from '@parley/kit';
import { commandWord, loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { requireTool, runAction } from './actions.ts';
import { addressOf } from './address.ts';
import type { Command } from './main.ts';
import { table } from './table.ts';

const USAGE =
  'Usage: parley members list | invite EMAIL [--role ROLE]... | role EMAIL ROLE... | remove EMAIL';

/** Runs one of the commands on members. */
export const members: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: { role: 'list' }, toolsets });
  const roles = Array.isArray(extras.role) && extras.role.length > 0 ? extras.role : undefined;
  const invited: Action = (acting, rest) => invite(acting, rest, roles);
  const actions = { list, invite: invited, add: invited, role, remove };
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

const list: Action = async (acting) => {
  requireTool(acting, 'ORGANIZATION_MEMBER_LIST');
  const { host, caller } = acting;
  const all = await host.identity.listMembers(caller.organizationId);
  // Visitors of the portal are members by name alone, and there may be thousands.
  const shown = all.filter((member) => !isVisitor(member));
  const invitations = await host.identity.invitations.list(caller.organizationId);
  const rows = [
    ...shown.map(({ id, name, email, roles }) => [id, name, email ?? '-', roles.join(', '), 'joined']),
    ...invitations.map(({ id, email, roles, expiresAt }) => {
      return [id, '-', email, roles.join(', '), `invited until ${showDay(expiresAt)}`];
    }),
  ];
  const visitors = all.length - shown.length;
  const more = visitors === 0 ? '' : `\nand ${visitors} ${visitors === 1 ? 'visitor' : 'visitors'}`;
  return {
    json: { members: shown.map(shownMember), invitations: invitations.map(shownInvitation), visitors },
    text: table(['ID', 'NAME', 'EMAIL', 'ROLES', 'STATE'], rows) + more,
  };
};

async function invite(acting: Acting, [email, ...rest]: readonly string[], roles?: readonly string[]) {
  if (email === undefined || rest.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'ORGANIZATION_MEMBER_ADD');
  const { host, caller, config } = acting;
  const { invitation, token } = await host.identity.invitations.create(caller, {
    email,
    ...(roles && { roles }),
  });
  const link = `${config.web.publicUrl ?? addressOf(config)}/join/${token}`;
  const lines = [
    `${printable(invitation.email)} may join as ${printable(invitation.roles.join(', '))} until ${showDay(invitation.expiresAt)}.`,
    'Send them this link. It works once and is shown only now:',
    '',
    link,
  ];
  return { json: { ...shownInvitation(invitation), link }, text: lines.join('\n') };
}

const role: Action = async (acting, [who, ...roles]) => {
  if (who === undefined || roles.length === 0) throw new UsageError(USAGE);
  requireTool(acting, 'ORGANIZATION_MEMBER_UPDATE_ROLE');
  const { host, caller } = acting;
  const found = await host.identity.findMember(caller.organizationId, who);
  if (found === undefined) throw await noMember(acting, who);
  const changed = await host.identity.setRoles(caller, { memberId: found.id, roles });
  return {
    json: shownMember(changed),
    text: `${nameOf(changed)} is ${printable(changed.roles.join(', '))} now.`,
  };
};

const remove: Action = async (acting, [who, ...rest]) => {
  if (who === undefined || rest.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'ORGANIZATION_MEMBER_REMOVE');
  const { host, caller } = acting;
  const found = await host.identity.findMember(caller.organizationId, who);
  if (found !== undefined) {
    await host.identity.removeMemberById(caller, found.id);
    return { json: { removed: true, id: found.id }, text: `${nameOf(found)} is no longer a member.` };
  }
  if (!(await host.identity.invitations.withdraw(caller, who))) throw notThere(who);
  return { json: { withdrawn: true, email: who }, text: `The invitation of ${printable(who)} is withdrawn.` };
};

/** True for somebody who holds nothing beside the role of visitors. */
function isVisitor({ roles }: Member): boolean {
  return !isTeam({ roles }) && roles.every(isRank);
}

/** Whoever was invited is nobody's member yet, though the list shows them. */
async function noMember({ host, caller }: Acting, who: string): Promise<ToolError> {
  const invitations = await host.identity.invitations.list(caller.organizationId);
  const email = who.trim().toLowerCase();
  if (!invitations.some((open) => open.id === who || open.email === email)) return notThere(who);
  return new ToolError(
    'conflict',
    `${who} is an invitation that was not accepted yet. Invite them again with the roles they should have; the older link stops working.`,
  );
}

function notThere(who: string): ToolError {
  return new ToolError('not_found', `There is no member ${who}. "${commandWord()} members list" shows them.`);
}

function nameOf({ name, email }: Member): string {
  return printable(email === null ? name : `${name} (${email})`);
}

function shownMember({ id, userId, name, email, roles, createdAt }: Member) {
  return { id, userId, name, email, roles, createdAt: new Date(createdAt).toISOString() };
}

function shownInvitation({ id, email, roles, expiresAt }: Invitation) {
  return { id, email, roles, expiresAt: new Date(expiresAt).toISOString() };
}

function showDay(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
