/** Signing in and out, who is signed in, and showing once more who one is. */
import { HttpRefusal } from '@parley/http';
import { dropConsoleToken, isHttps, keepConsoleToken, signedIn } from '@parley/http/pages';
import { nothing, one } from '@parley/http/rest';
import type { SignedIn } from '@parley/http/rest';
import type { WebSession } from '@parley/identity';
import { mayAdminister } from '@parley/kit';
import * as z from 'zod';
import { VERSION } from '../../version.ts';
import { firstRunOf } from '../desks.ts';
import { deviceOf } from '../device.ts';
import { siteOf } from '../passkey-site.ts';
import { RAIL, railOf } from '../rail.ts';
import type { ConsoleScope } from '../scope.ts';
import { defineRoute, personIn } from '../scope.ts';

const Named = z.object({ id: z.string(), name: z.string() });

const Session = z.object({
  person: z.object({
    id: z.string().describe('Id of the member'),
    userId: z.string(),
    name: z.string(),
    email: z.string().nullable(),
  }),
  role: z.string().describe('The roles of the person here, with commas'),
  isAdministrator: z
    .boolean()
    .describe('By one of the roles; what the person may is decided by this, not by their names'),
  organization: Named.extend({ slug: z.string(), accent: z.string().optional() }),
  organizations: z.array(Named).describe('Those whose team the person is of'),
  csrfToken: z.string().describe('Goes with every change in the header x-csrf-token'),
  freshUntil: z.iso.datetime().describe('Until then nobody is asked again who they are'),
  hasPassword: z.boolean(),
  passkeys: z.int(),
  isFirstRun: z.boolean(),
  isFirstRunSkipped: z.boolean().describe('The person left it before it was done, and may come back'),
  rail: z.array(z.enum(RAIL)).describe('The entries of the rail that the person has something behind'),
  startsPrograms: z
    .boolean()
    .describe('Connections may be programs that are added here, and not only on the machine'),
  version: z.string(),
});

const token = z.string().min(1).max(200);
const passkey = {
  method: z.literal('passkey'),
  challengeId: z.string().min(1).max(1000),
  response: z.record(z.string(), z.unknown()).describe('As the browser gives it in JSON'),
};
const password = z.string().min(1).max(1024);
const ByKey = z.strictObject({ method: z.literal('key'), key: token });
const ByPasskey = z.strictObject(passkey);

const SignIn = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('link'), token }),
  z.strictObject({ method: z.literal('password'), email: z.string().min(1).max(254), password }),
  ByKey,
  ByPasskey,
]);

const SignInAgain = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('password'), password }),
  ByKey,
  ByPasskey,
]);

const METHODS = ['link', 'password', 'passkey', 'key'] as const;

const NOT_LET_IN =
  'That did not work. A link works once, for 15 minutes; a password goes with the e-mail of your account; a key must be one that may do all that its owner may.';

/** Who is not signed in learns how they could be. */
async function notSignedIn(
  { host }: Pick<ConsoleScope, 'host'>,
  message = 'You are not signed in.',
): Promise<HttpRefusal> {
  const hasOwnerSignIn = await host.identity.web.hasOwnerSignIn();
  return new HttpRefusal('UNAUTHORIZED', message, { details: { methods: METHODS, hasOwnerSignIn } });
}

const HEX_COLOUR = /^#[0-9a-f]{6}$/i;

async function sessionOf(
  scope: Pick<ConsoleScope, 'host' | 'services' | 'config'>,
  session: WebSession,
): Promise<z.input<typeof Session>> {
  const { identity } = scope.host;
  const { caller, userId } = session;
  const [account, organization, teams] = await Promise.all([
    identity.web.account(userId),
    identity.organizations.get(caller.organizationId),
    identity.web.memberships(userId),
  ]);
  if (account === undefined || organization === undefined) throw await notSignedIn(scope);
  const run = mayAdminister(caller) ? await firstRunOf(scope.host, caller) : undefined;
  const accent = organization.metadata?.['accent'];
  const isAccent = typeof accent === 'string' && HEX_COLOUR.test(accent);
  return {
    person: { id: caller.id, userId, name: account.name, email: account.email },
    role: caller.roles.join(', '),
    isAdministrator: mayAdminister(caller),
    organization: {
      id: organization.id,
      name: organization.name,
      slug: organization.slug,
      ...(isAccent && { accent }),
    },
    organizations: teams.map(({ organizationId: id, organizationName: name }) => ({ id, name })),
    csrfToken: session.csrfToken,
    freshUntil: new Date(session.freshUntil).toISOString(),
    hasPassword: account.hasPassword,
    passkeys: account.passkeys,
    isFirstRun: run !== undefined && !run.isDone && !run.isSkipped,
    isFirstRunSkipped: run !== undefined && !run.isDone && run.isSkipped,
    rail: railOf(scope.host.engine(), caller),
    startsPrograms: scope.config.programs.isAllowed,
    version: VERSION,
  };
}

/** Puts the token into the browser, for 30 days from now. */
async function keep({ exchange, config }: ConsoleScope, text: string): Promise<void> {
  const cookie = await keepConsoleToken(exchange.req, text, isHttps(exchange.req, config.web.publicUrl));
  exchange.res.setHeader('set-cookie', cookie);
}

async function found(scope: ConsoleScope, text: string): Promise<SignedIn> {
  const session = await scope.host.identity.web.find(text);
  if (session === undefined) throw await notSignedIn(scope);
  return { ...session, token: text };
}

export const sessionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/session',
    summary: 'Who is signed in; 401 says how to sign in',
    who: 'anybody',
    answer: one('Session', Session),
    async run(scope) {
      const { host, exchange, config } = scope;
      const { publicUrl } = config.web;
      const session = await signedIn(exchange.req, { identity: host.identity, publicUrl });
      if (session === undefined) throw await notSignedIn(scope);
      await keep(scope, session.token);
      return sessionOf(scope, session);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/session',
    summary: 'Sign in with a link, a password, a passkey or a key',
    who: 'anybody',
    body: SignIn,
    answer: one('Session', Session),
    async run(scope) {
      const { host, exchange, services, body } = scope;
      const { req } = exchange;
      const place = { address: services.addressOf(req), device: deviceOf(req.headers['user-agent']) };
      const shown = body.method === 'passkey' ? { ...body, site: siteOf(scope) } : body;
      const opened = await host.identity.web.enter(shown, place);
      if (opened === undefined) throw await notSignedIn(scope, NOT_LET_IN);
      await keep(scope, opened.token);
      return sessionOf(scope, await found(scope, opened.token));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/session/passkey-options',
    summary: 'What a browser has to sign with a passkey',
    who: 'anybody',
    body: z.strictObject({}),
    answer: one(
      'PasskeyQuestion',
      z.object({ challengeId: z.string(), options: z.record(z.string(), z.unknown()) }),
    ),
    async run(scope) {
      const { challengeId, options } = await scope.host.identity.web.passkeys.ask(siteOf(scope));
      return { challengeId, options: { ...options } };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/session',
    summary: 'Sign out',
    who: 'person',
    isQuiet: true,
    answer: nothing,
    async run(scope) {
      const { host, exchange, config } = scope;
      const { userId, id } = personIn(scope);
      await host.identity.web.end(userId, id);
      const cookie = await dropConsoleToken(exchange.req, isHttps(exchange.req, config.web.publicUrl));
      exchange.res.setHeader('set-cookie', cookie);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/session/fresh',
    summary: 'Show again who one is, before what could do most harm',
    who: 'person',
    isRepeatable: false,
    body: SignInAgain,
    effect: 'update',
    isQuiet: true,
    answer: one('Session', Session),
    async run(scope) {
      const { host, body } = scope;
      const session = personIn(scope);
      const shown = body.method === 'passkey' ? { ...body, site: siteOf(scope) } : body;
      const isSame = await host.identity.web.prove(session, shown);
      if (!isSame) throw new HttpRefusal('FORBIDDEN', 'That did not work. Nothing was changed.');
      return sessionOf(scope, await found(scope, session.token));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/session/organization',
    summary: 'Go to another organization',
    who: 'person',
    body: z.strictObject({ id: z.string().min(1).max(64) }),
    isQuiet: true,
    answer: one('Session', Session),
    async run(scope) {
      const { host, body } = scope;
      const session = personIn(scope);
      if (!(await host.identity.web.move(session, body.id)))
        throw new HttpRefusal('NOT_FOUND', 'You are of no team of an organization with this id.');
      return sessionOf(scope, await found(scope, session.token));
    },
  }),
];
