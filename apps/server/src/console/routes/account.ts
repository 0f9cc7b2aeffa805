/** What people look after themselves: their name, password, passkeys and the browsers they are signed in with. */
import { HttpRefusal } from '@parley/http';
import { created, freshSignIn, nothing, one, requireFresh, whole } from '@parley/http/rest';
import type { Caller } from '@parley/kit';
import { mayAdminister, mustProve, ToolError } from '@parley/kit';
import * as z from 'zod';
import { siteOf } from '../passkey-site.ts';
import { defineRoute, personIn } from '../scope.ts';

const Device = z.object({
  id: z.string(),
  device: z.string(),
  method: z.string().describe('How the person signed in'),
  createdAt: z.iso.datetime(),
  seenAt: z.iso.datetime(),
  isCurrent: z.boolean(),
});

const DeviceOfSomebody = Device.extend({ userId: z.string(), memberId: z.string(), name: z.string() });

const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  usedAt: z.iso.datetime().nullable(),
});

const Account = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  hasPassword: z.boolean(),
  passkeys: z.int(),
});

const FIELD = /^(\w{1,30}): (.{1,300})$/s;

/** A text that names its field, as programs want it. */
async function namingFields<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const [, field, rule] =
      (error instanceof ToolError && error.code === 'invalid' && FIELD.exec(error.message)) || [];
    if (field === undefined || !(error instanceof ToolError)) throw error;
    throw new HttpRefusal('BAD_REQUEST', error.message, { details: { errors: { [field]: [rule] } } });
  });
}

function requireAdministrator(caller: Caller): void {
  if (!mayAdminister(caller)) throw new HttpRefusal('FORBIDDEN', 'Only administrators may do this.');
}

const timeOf = (at: number) => new Date(at).toISOString();

const passkeyOf = (given: { id: string; name: string; createdAt: number; usedAt: number | null }) => ({
  id: given.id,
  name: given.name,
  createdAt: timeOf(given.createdAt),
  usedAt: given.usedAt === null ? null : timeOf(given.usedAt),
});

export const accountRoutes = [
  defineRoute({
    method: 'GET',
    path: '/sessions',
    summary: 'The browsers that one is signed in with',
    who: 'person',
    isQuiet: true,
    answer: whole('Device', Device),
    async run(scope) {
      const session = personIn(scope);
      const all = await scope.host.identity.web.list(session.userId);
      return all.map(({ id, device, method, createdAt, seenAt }) => ({
        id,
        device,
        method,
        createdAt: timeOf(createdAt),
        seenAt: timeOf(seenAt),
        isCurrent: id === session.id,
      }));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/sessions/:id',
    summary: 'Sign out in another browser',
    who: 'person',
    answer: nothing,
    async run(scope) {
      const { userId } = personIn(scope);
      if (!(await scope.host.identity.web.end(userId, scope.params.id)))
        throw new HttpRefusal('NOT_FOUND', 'You are not signed in with a browser of this id.');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/team-sessions',
    summary: 'The browsers in which anybody works in the organization, for administrators; the 500 used last',
    who: 'person',
    isQuiet: true,
    answer: whole('DeviceOfSomebody', DeviceOfSomebody),
    async run(scope) {
      const { host, caller } = scope;
      const { id: currentId } = personIn(scope);
      requireAdministrator(caller);
      const all = await host.identity.web.listTeam(caller.organizationId);
      return all.map(({ createdAt, seenAt, ...given }) => ({
        ...given,
        createdAt: timeOf(createdAt),
        seenAt: timeOf(seenAt),
        isCurrent: given.id === currentId,
      }));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/team-sessions/:id',
    summary:
      'Sign somebody out in a browser of theirs, for administrators; nobody ends a session of an owner but owners',
    who: 'person',
    answer: nothing,
    async run(scope) {
      const { host, caller, params } = scope;
      requireAdministrator(caller);
      if (!(await host.identity.web.endTeam(caller, params.id)))
        throw new HttpRefusal('NOT_FOUND', 'Nobody is signed in with a browser of this id.');
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/account',
    summary: 'Another name or e-mail for oneself; an e-mail only just after showing who one is',
    who: 'person',
    body: z.strictObject({
      name: z.string().max(255).optional(),
      email: z.string().max(254).optional(),
    }),
    answer: one('Account', Account),
    async run(scope) {
      const { host, body, caller } = scope;
      const session = personIn(scope);
      const { web } = host.identity;
      const before = await web.account(session.userId);
      const isOther = body.email !== undefined && body.email.trim().toLowerCase() !== before?.email;
      if (isOther) requireFresh(caller, host.store.now());
      await namingFields(web.changeAccount(session, body));
      const account = await web.account(session.userId);
      if (account === undefined) throw new HttpRefusal('NOT_FOUND', 'This account is gone.');
      return account;
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/account/password',
    summary: 'A new password; it ends every other session of the person',
    who: 'person',
    body: z.strictObject({
      password: z.string().min(1).max(1024),
      current: z
        .string()
        .min(1)
        .max(1024)
        .optional()
        .describe('The one before; not needed just after signing in'),
    }),
    answer: nothing,
    async run(scope) {
      const { host, body, caller } = scope;
      const session = personIn(scope);
      const isFresh = !mustProve(caller, host.store.now());
      const given = { ...body, isFresh };
      if (await namingFields(host.identity.web.setPassword(session, given))) return;
      if (body.current === undefined) throw freshSignIn();
      throw new HttpRefusal('BAD_REQUEST', 'current: is not your password', {
        details: { errors: { current: ['is not your password'] } },
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/account/passkeys',
    summary: 'One’s own passkeys',
    who: 'person',
    isQuiet: true,
    answer: whole('Passkey', Passkey),
    async run(scope) {
      return (await scope.host.identity.web.passkeys.list(personIn(scope).userId)).map(passkeyOf);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/account/passkeys/options',
    summary: 'What a browser has to make a new passkey for',
    who: 'person',
    isRepeatable: false,
    isSensitive: true,
    isQuiet: true,
    body: z.strictObject({}),
    answer: one(
      'PasskeyQuestion',
      z.object({ challengeId: z.string(), options: z.record(z.string(), z.unknown()) }),
    ),
    async run(scope) {
      const question = await scope.host.identity.web.passkeys.askForNew(personIn(scope), siteOf(scope));
      if (question === undefined) throw new HttpRefusal('NOT_FOUND', 'This account is gone.');
      return { challengeId: question.challengeId, options: { ...question.options } };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/account/passkeys',
    summary: 'Keep the passkey that a browser made',
    who: 'person',
    isRepeatable: false,
    isSensitive: true,
    body: z.strictObject({
      challengeId: z.string().min(1).max(1000),
      response: z.record(z.string(), z.unknown()),
      name: z.string().max(100),
    }),
    answer: created('Passkey', Passkey, ({ id }) => `/account/passkeys/${id}`),
    async run(scope) {
      const given = { ...scope.body, site: siteOf(scope) };
      return passkeyOf(await namingFields(scope.host.identity.web.passkeys.add(personIn(scope), given)));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/account/passkeys/:id',
    summary: 'Remove a passkey',
    who: 'person',
    isSensitive: true,
    answer: nothing,
    async run(scope) {
      if (!(await scope.host.identity.web.passkeys.remove(personIn(scope), scope.params.id)))
        throw new HttpRefusal('NOT_FOUND', 'You have no passkey of this id.');
    },
  }),
];
