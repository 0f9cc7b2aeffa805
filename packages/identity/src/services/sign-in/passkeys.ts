/** Passkeys: what a browser is asked to make or to sign, and whether its answer is worth anything. */
import { randomBytes } from 'node:crypto';
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { IdentityTables, PasskeyRow } from '../../schema.ts';
import { writeAudit } from '../audit.ts';
import type { Account, Self } from './account.ts';
import { sealChallenge, takeChallenge } from './challenges.ts';

/** Which site the browser is on; a passkey belongs to one host name. */
export interface Site {
  readonly origin: string;
}

/** What a browser made of a challenge. */
export interface PasskeyAnswer {
  readonly challengeId: string;
  /** As WebAuthn writes it in JSON; nothing of it is believed before it was checked. */
  readonly response: unknown;
}

/** What a browser is asked, and the id to come back with. */
export interface PasskeyQuestion<Options> {
  readonly challengeId: string;
  readonly options: Options;
}

/** A passkey as its owner sees it. */
export interface PasskeyInfo {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

const CHALLENGE_BYTES = 32;
const ANSWER_MS = 60_000;
const MOST_PASSKEYS = 20;
const MAX_NAME_LENGTH = 100;

const webAuthn = () => import('@simplewebauthn/server');

function hostOf({ origin }: Site): string {
  return new URL(origin).hostname;
}

/** Asks for a signature of whichever passkey the person chooses; anybody may ask, so this loads nothing. */
export async function askForPasskey(
  store: Store,
  site: Site,
  now: number,
): Promise<PasskeyQuestion<PublicKeyCredentialRequestOptionsJSON>> {
  const options: PublicKeyCredentialRequestOptionsJSON = {
    challenge: randomBytes(CHALLENGE_BYTES).toString('base64url'),
    rpId: hostOf(site),
    allowCredentials: [],
    userVerification: 'required',
    timeout: ANSWER_MS,
  };
  return { challengeId: sealChallenge(store, options.challenge, { userId: null, now }), options };
}

/** Asks for a new passkey of somebody who is signed in. */
export async function askForNewPasskey(
  store: Store,
  site: Site,
  { userId, name, email }: Account,
  now: number,
): Promise<PasskeyQuestion<PublicKeyCredentialCreationOptionsJSON>> {
  const { generateRegistrationOptions } = await webAuthn();
  const known = await rowsOf(store, userId);
  if (known.length >= MOST_PASSKEYS)
    throw new ToolError('conflict', `At most ${MOST_PASSKEYS} passkeys. Remove one first.`);
  const options = await generateRegistrationOptions({
    rpName: 'Parley',
    rpID: hostOf(site),
    userID: new Uint8Array(Buffer.from(userId)),
    userName: email ?? name,
    userDisplayName: name,
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id: id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { challengeId: sealChallenge(store, options.challenge, { userId, now }), options };
}

/** Keeps the passkey that a browser made. */
export async function addPasskey(
  store: Store,
  { userId, caller }: Self,
  { site, name, challengeId, response }: PasskeyAnswer & { readonly site: Site; readonly name: string },
  now: number,
): Promise<PasskeyInfo> {
  const { verifyRegistrationResponse } = await webAuthn();
  const title = name.trim();
  if (title === '' || title.length > MAX_NAME_LENGTH)
    throw new ToolError('invalid', `name: must have 1 to ${MAX_NAME_LENGTH} characters`);
  const challenge = await takeChallenge(store, challengeId, { userId, now });
  const checked = await orNothing(async () =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON, // it throws on whatever is not one
      expectedChallenge: challenge ?? '',
      expectedOrigin: site.origin,
      expectedRPID: hostOf(site),
      requireUserVerification: true,
    }),
  );
  if (challenge === undefined || checked?.verified !== true)
    throw new ToolError('invalid', 'response: is no answer to what was asked, or came too late. Try again.');
  const { credential } = checked.registrationInfo;
  const row: PasskeyRow = {
    id: typeId('pk', now),
    user_id: userId,
    name: title,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: toJson(credential.transports ?? []),
    used_at: null,
    created_at: now,
  };
  await store.transaction(async (tx) => {
    await tx.db<IdentityTables>().insertInto('passkeys').values(row).execute();
    const changed = { name: title };
    await writeAudit(tx, { caller, action: 'passkey.added', target: row.id, changed }, { now });
  });
  return infoOf(row);
}

/** Whose passkey has signed the challenge; undefined when none has. */
export async function holderOfPasskey(
  store: Store,
  { site, challengeId, response }: PasskeyAnswer & { readonly site: Site },
  now: number,
): Promise<string | undefined> {
  const { verifyAuthenticationResponse } = await webAuthn();
  const challenge = await takeChallenge(store, challengeId, { userId: null, now });
  const row = await rowNamed(store, idIn(response));
  if (challenge === undefined || row === undefined) return undefined;
  const checked = await orNothing(async () =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON, // it throws on whatever is not one
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: hostOf(site),
      requireUserVerification: true,
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        counter: row.counter,
        transports: fromJson(row.transports),
      },
    }),
  );
  if (checked?.verified !== true) return undefined;
  const { newCounter } = checked.authenticationInfo;
  await store
    .db<IdentityTables>()
    .updateTable('passkeys')
    .set({ counter: newCounter, used_at: now })
    .where('id', '=', row.id)
    .execute();
  return row.user_id;
}

export async function listPasskeys(from: Queryable, userId: string): Promise<PasskeyInfo[]> {
  return (await rowsOf(from, userId)).map(infoOf);
}

/** Removes a passkey; false when there is none of this id. */
export async function removePasskey(
  store: Store,
  { userId, caller }: Self,
  id: string,
  now: number,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    const gone = await tx
      .db<IdentityTables>()
      .deleteFrom('passkeys')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returning('id')
      .execute();
    if (gone.length === 0) return false;
    await writeAudit(tx, { caller, action: 'passkey.removed', target: id }, { now });
    return true;
  });
}

function idIn(response: unknown): string {
  const id = typeof response === 'object' && response !== null && 'id' in response ? response.id : undefined;
  return typeof id === 'string' ? id : '';
}

async function rowNamed(from: Queryable, credentialId: string): Promise<PasskeyRow | undefined> {
  return from
    .db<IdentityTables>()
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
}

async function rowsOf(from: Queryable, userId: string): Promise<PasskeyRow[]> {
  return from
    .db<IdentityTables>()
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

function infoOf({ id, name, created_at: createdAt, used_at: usedAt }: PasskeyRow): PasskeyInfo {
  return { id, name, createdAt, usedAt };
}

/** What a browser sends may be anything, and the library throws on most of it. */
async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
