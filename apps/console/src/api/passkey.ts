/** Owns passkeys: asking the browser for one, and making one; the library loads with the first use. */
import { request } from './request.ts';

/** Whether this browser and this page can use passkeys. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && isSecureContext;
}

/** What a passkey proves. */
export interface PasskeyProof {
  readonly challengeId: string;
  readonly response: Readonly<Record<string, unknown>>;
}

/** Asks for a passkey; what comes back proves the person to the server. */
export async function passkeyAnswer(): Promise<PasskeyProof> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON'];
  const { challengeId, options } = await request('POST /api/session/passkey-options');
  // What the browser's own standard settles, the document leaves open.
  const optionsJSON = options as unknown as Options;
  return { challengeId, response: { ...(await said(() => startAuthentication({ optionsJSON }))) } };
}

/** Makes a passkey for the person who is signed in. */
export async function makePasskey(name: string): Promise<void> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  type Options = Parameters<typeof startRegistration>[0]['optionsJSON'];
  const { challengeId, options } = await request('POST /api/account/passkeys/options');
  // What the browser's own standard settles, the document leaves open.
  const optionsJSON = options as unknown as Options;
  const response = { ...(await said(() => startRegistration({ optionsJSON }))) };
  await request('POST /api/account/passkeys', { body: { challengeId, response, name } });
}

/** Says in plain words what browsers say in many. */
async function said<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError')
      throw new Error('No passkey was used. Try again, or choose another way.', { cause: error });
    if (name === 'InvalidStateError')
      throw new Error('This device has a passkey for you already.', { cause: error });
    throw error;
  }
}
