/** Passkeys in a real browser: one is made, signs in, proves its person again, and is worth nothing once it is removed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsoleServer } from '../product/console-browser.ts';
import { startConsole } from '../product/console-browser.ts';
import { scratchFolder } from '../product/parley.ts';
import { describeInBrowser, launchChromium } from './chromium.ts';

const files = scratchFolder();
let server: ConsoleServer;
let url: string;

beforeAll(async () => {
  mkdirSync(files.path, { recursive: true });
  writeFileSync(join(files.path, 'index.html'), '<!doctype html><title>Console</title>');
  server = await startConsole([], { consoleFiles: files.path });
  // Browsers make passkeys for names alone.
  url = server.url.replace('127.0.0.1', 'localhost');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  files[Symbol.dispose]();
});

/** What a page of the console does, in the page itself. */
const PAGE = `
  globalThis.ask = async (method, path, body) => {
    const answer = await fetch('/api' + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-csrf-token': globalThis.csrf ?? '' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = text === '' ? undefined : JSON.parse(text);
    if (json?.data?.csrfToken) globalThis.csrf = json.data.csrfToken;
    return { status: answer.status, body: json };
  };
  globalThis.make = async (name) => {
    const { body } = await ask('POST', '/account/passkeys/options', {});
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(body.data.options);
    const made = await navigator.credentials.create({ publicKey });
    return ask('POST', '/account/passkeys', { challengeId: body.data.challengeId, response: made.toJSON(), name });
  };
  globalThis.sign = async () => {
    const { body } = await ask('POST', '/session/passkey-options', {});
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(body.data.options);
    const signed = await navigator.credentials.get({ publicKey });
    return { method: 'passkey', challengeId: body.data.challengeId, response: signed.toJSON() };
  };
`;

interface Asked {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any;
}

describeInBrowser('a passkey', () => {
  test('is made, signs in, proves again who one is, and ends', { timeout: 120_000 }, async () => {
    const browser = await launchChromium();
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      const devtools = await context.newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await page.goto(`${url}/console`);
      const run = (script: string) => page.evaluate<Asked>(`(async () => { ${script} })()`);
      await page.evaluate(PAGE);

      const { token } = await server.app.host.identity.web.createLink();
      expect(
        (await run(`return ask('POST', '/session', { method: 'link', token: '${token}' })`)).status,
      ).toBe(200);
      const made = await run(`return make('Laptop')`);
      expect([made.status, made.body.data?.name]).toEqual([201, 'Laptop']);
      expect((await run(`return ask('GET', '/session')`)).body.data.passkeys).toBe(1);

      expect((await run(`return ask('DELETE', '/session')`)).status).toBe(204);
      expect((await run(`return ask('GET', '/session')`)).status).toBe(401);
      const entered = await run(`globalThis.shown = await sign(); return ask('POST', '/session', shown)`);
      expect([entered.status, entered.body.data?.role]).toEqual([200, 'owner']);
      // What was signed is worth one answer.
      expect((await run(`return ask('POST', '/session', shown)`)).status).toBe(401);
      expect((await run(`return ask('POST', '/session/fresh', await sign())`)).status).toBe(200);
      const { identity } = server.app.host;
      expect(await identity.web.hasOwnerSignIn()).toBe(true);
      const stolen = `const shown = await sign(); shown.response.response.signature = shown.response.response.signature.replace(/.{6}$/, 'AAAAAA');`;
      expect((await run(`${stolen} return ask('POST', '/session', shown)`)).status).toBe(401);

      const [{ id }] = (await run(`return ask('GET', '/account/passkeys')`)).body.data;
      expect((await run(`return ask('DELETE', '/account/passkeys/${id}')`)).status).toBe(204);
      expect((await run(`return ask('POST', '/session', await sign())`)).status).toBe(401);
    } finally {
      await browser.close();
    }
  });

  test('is asked for at a name, never at an address', async () => {
    const answer = await server.browser().ask('POST /api/session/passkey-options', { body: {} });
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining('localhost')]);
  });
});
