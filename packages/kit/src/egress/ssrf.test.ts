/** Owns the promise that no spelling of an internal address is reached without permission. */
import { startServer } from '@parley/test-support/scripted-server';
import { afterEach, describe, expect, test } from 'vitest';
import { plainEntry } from './allow-list.ts';
import { createEgress } from './egress.ts';
import type { Egress } from './egress.ts';
import { EgressError } from './errors.ts';
import type { EgressPolicy } from './policy.ts';
import { scriptResolver } from './testing/scripted-resolver.ts';

const open: Egress[] = [];
const egressWith = (policy: EgressPolicy): Egress => {
  const egress = createEgress(policy);
  open.push(egress);
  return egress;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((egress) => egress.close()));
});

const failure = async (work: Promise<unknown>): Promise<EgressError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EgressError)) throw new Error(`Expected an EgressError, got ${String(error)}.`);
  return error;
};

const NAMES = {
  'public.test': [['93.184.215.14']],
  'private.test': [['10.1.2.3']],
  'two-faced.test': [['93.184.215.14', '10.1.2.3']],
  'two-faced6.test': [['93.184.215.14', '::1']],
  'mapped.test': [['::ffff:10.1.2.3']],
  'meta.test': [['169.254.169.254']],
  'meta-mixed.test': [['10.1.2.3', '169.254.169.254']],
  'empty.test': [[]],
  'odd.test': [['127.1']],
  localhost: [['127.0.0.1', '::1']],
  'xn--bcher-kva.test': [['10.1.2.3']],
  'metadata.google.internal': [['93.184.215.14']],
};

const INTERNAL_FORMS = [
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://127.1/',
  'https://127.0.0.1./',
  'https://%31%32%37.0.0.1/',
  'https://１２７.０.０.１/',
  'https://127。0。0。1/',
  'https://0/',
  'https://[::]/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::10.0.0.1]/',
  'https://[2002:a00:1::]/',
  'https://10.0.0.1:8443/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
  'https://private.test/',
  'https://private.test./',
  'https://bücher.test/',
  'https://two-faced.test/',
  'https://two-faced6.test/',
  'https://mapped.test/',
  'https:\\\\127.0.0.1\\path',
  'https:/127.0.0.1/',
  'ht\ntps://127.0.0.1/',
];

const METADATA_FORMS = [
  'http://169.254.169.254/latest/meta-data/',
  'https://169.254.169.254/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[fd00:ec2::254]/',
  'http://100.100.100.200/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://METADATA.google.internal./',
  'http://metadata.goog/',
  'http://meta.test/',
  'http://meta-mixed.test/',
];

describe('check 26: what may be reached', () => {
  test('a public https name passes, and nothing connects', async () => {
    const { resolve, lookups } = scriptResolver(NAMES);
    await egressWith({ resolve }).check('https://public.test/path?q=1');
    expect(lookups).toEqual(['public.test']);
  });

  test.each(INTERNAL_FORMS)('the internal form %j is refused', async (url) => {
    const egress = egressWith({ resolve: scriptResolver(NAMES).resolve });
    expect((await failure(egress.check(url))).code).toBe('not_allowed');
    expect((await failure(egress.fetch(url))).code).toBe('not_allowed');
  });

  test.each(METADATA_FORMS)('the metadata form %j is refused even when it is listed', async (url) => {
    const egress = egressWith({
      resolve: scriptResolver(NAMES).resolve,
      allow: [new URL(url).hostname],
    });
    expect((await failure(egress.check(url))).code).toBe('not_allowed');
    expect((await failure(egress.fetch(url))).code).toBe('not_allowed');
  });

  test.each(['ftp://public.test/', 'file:///etc/passwd', 'gopher://public.test/', 'data:text/plain,x'])(
    'the scheme of %s is refused',
    async (url) => {
      const egress = egressWith({ resolve: scriptResolver(NAMES).resolve, allow: ['public.test'] });
      expect((await failure(egress.fetch(url))).code).toBe('not_allowed');
    },
  );

  test('an address that may be reached without TLS is reached while it is public, and no other', async () => {
    const { resolve } = scriptResolver(NAMES);
    const check = async (entryOf: string, url: string) => {
      const allow = [plainEntry(new URL(entryOf))];
      return egressWith({ resolve })
        .check(url, { allow })
        .then(() => 'reached')
        .catch((error: EgressError) => error.code);
    };
    expect(await check('http://public.test/mcp', 'http://public.test/')).toBe('reached');
    expect(await check('http://public.test:8080/mcp', 'http://public.test:8080/')).toBe('reached');
    expect(await check('http://public.test/mcp', 'http://public.test:8080/')).toBe('not_allowed');
    expect(await check('http://public.test/mcp', 'http://sub.public.test/')).toBe('not_allowed');
    const inner = [
      'private.test',
      'two-faced.test',
      'two-faced6.test',
      'mapped.test',
      'meta.test',
      'odd.test',
    ];
    for (const host of [...inner, 'localhost', '127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254'])
      expect(await check(`http://${host}/`, `http://${host}/`), host).toBe('not_allowed');
  });

  test('plain http to a public name is refused until the owner lists it', async () => {
    const { resolve } = scriptResolver(NAMES);
    expect((await failure(egressWith({ resolve }).check('http://public.test/'))).code).toBe('not_allowed');
    await expect(
      egressWith({ resolve, allow: ['public.test:80'] }).check('http://public.test/'),
    ).resolves.toBeUndefined();
  });

  test.each([
    'https://user@public.test/',
    'https://user:secret@public.test/',
    'https://public.test@127.0.0.1/',
    'https://127.0.0.1%2f@public.test/',
    'https://:@public.test:443@private.test/',
  ])('credentials in the address %s are refused before any lookup', async (url) => {
    const { resolve, lookups } = scriptResolver(NAMES);
    expect((await failure(egressWith({ resolve }).fetch(url))).code).toBe('invalid');
    expect(lookups).toEqual([]);
  });

  test.each([
    '',
    'public.test',
    'https://',
    'https://a..test/',
    'https://1.2.3.4.5/',
    'https://[fe80::1%25lo]/',
  ])('the malformed address %j is refused', async (url) => {
    expect((await failure(egressWith({}).check(url))).code).toBe('invalid');
  });

  test.each([
    ['an unknown name', 'https://unknown.test/', 'unreachable'],
    ['a name without addresses', 'https://empty.test/', 'unreachable'],
    ['a resolver that answers with no plain address', 'https://odd.test/', 'not_allowed'],
  ])('%s is refused', async (_what, url, code) => {
    expect((await failure(egressWith({ resolve: scriptResolver(NAMES).resolve }).check(url))).code).toBe(
      code,
    );
  });

  test('no error names an address', async () => {
    const egress = egressWith({ resolve: scriptResolver(NAMES).resolve, allow: ['127.0.0.1:1'] });
    for (const url of [
      ...INTERNAL_FORMS,
      ...METADATA_FORMS,
      'http://127.0.0.1:1/',
      'https://unknown.test/',
    ]) {
      const error = await failure(egress.fetch(url));
      expect(`${error.message} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(
        /\d+\.\d+|::|\.test|localhost|internal\b|ECONN/i,
      );
    }
  });
});

describe('a range of the owner', () => {
  const codeOf = async (url: string, allow: readonly string[]) => {
    const egress = egressWith({ allow: [...allow], resolve: scriptResolver(NAMES).resolve });
    return egress.check(url).then(
      () => 'passes',
      (error: { code: string }) => error.code,
    );
  };

  test.each([
    ['10.0.0.0/8', 'http://10.0.0.1:9000/'],
    ['10.0.0.1/32', 'https://10.0.0.1/'],
    ['fd00:1::/64', 'https://[fd00:1::7]/'],
    ['10.0.0.0/8', 'https://private.test/'],
  ])('%s covers %s', async (range, url) => {
    expect([await codeOf(url, []), await codeOf(url, [range])]).toEqual(['not_allowed', 'passes']);
  });

  test.each([
    ['10.0.0.0/16', 'http://10.1.0.1/'],
    ['10.0.0.0/8', 'http://192.168.0.1/'],
    ['10.0.0.0/8', 'http://public.test/'],
    ['10.0.0.0/8', 'https://two-faced6.test/'],
    ['fd00:1::/64', 'https://[fd00:2::7]/'],
    ['169.254.0.0/16', 'http://169.254.169.254/'],
    ['100.64.0.0/10', 'http://100.100.100.200/'],
    ['fd00::/8', 'http://[fd00:ec2::254]/'],
  ])('%s does not cover %s', async (range, url) => {
    expect(await codeOf(url, [range])).toBe('not_allowed');
  });
});

describe('a permission', () => {
  test('covers its host and port and no other', async () => {
    await using server = await startServer((_request, response) => response.end('hello'));
    await using other = await startServer((_request, response) => response.end('secret'));
    const egress = egressWith({ allow: [`127.0.0.1:${server.port}`] });
    const answer = await egress.fetch(`http://127.0.0.1:${server.port}/`);
    expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
    expect((await failure(egress.fetch(`http://127.0.0.1:${other.port}/`))).code).toBe('not_allowed');
    expect((await failure(egress.fetch(`http://[::ffff:127.0.0.1]:${server.port}/`))).code).toBe(
      'not_allowed',
    );
    expect(other.seen).toEqual([]);
  });

  test('given for one use does not serve the next, not even on its open connection', async () => {
    await using server = await startServer((_request, response) => response.end('hello'));
    const egress = egressWith({});
    const url = `http://127.0.0.1:${server.port}/`;
    expect((await egress.fetch(url, { allow: [`127.0.0.1:${server.port}`] })).status).toBe(200);
    expect((await failure(egress.fetch(url))).code).toBe('not_allowed');
    expect(server.seen).toHaveLength(1);
  });
});

describe('the resolver of the system', () => {
  test('is used by default, and what it finds is checked too', async () => {
    await using server = await startServer((_request, response) => response.end('local'));
    const egress = egressWith({});
    const url = `http://localhost:${server.port}/`;
    const allow = [`localhost:${server.port}`];
    expect((await failure(egress.check('https://localhost/'))).code).toBe('not_allowed');
    await expect(egress.check(url, { allow })).resolves.toBeUndefined();
    expect((await failure(egress.check(url))).code).toBe('not_allowed');
    expect(await (await egress.fetch(url, { allow })).text()).toBe('local');
  });
});

describe('check 26: pinning', () => {
  test('a name is looked up once, and the connection goes to the checked address under its own name', async () => {
    await using server = await startServer((_request, response) => response.end('pinned'));
    const { resolve, lookups } = scriptResolver({ 'rebind.test': [['127.0.0.1'], ['169.254.169.254']] });
    const egress = egressWith({ resolve, allow: ['rebind.test'] });
    const answer = await egress.fetch(`http://rebind.test:${server.port}/a?b=c`);
    expect(await answer.text()).toBe('pinned');
    expect(lookups).toEqual(['rebind.test']);
    expect(server.seen[0]).toMatchObject({ url: '/a?b=c', headers: { host: `rebind.test:${server.port}` } });
  });

  test('a name that changes to a forbidden address is refused at the next request, open connection or not', async () => {
    await using server = await startServer((_request, response) => response.end('first'));
    const { resolve } = scriptResolver({ 'rebind.test': [['127.0.0.1'], ['169.254.169.254']] });
    const egress = egressWith({ resolve, allow: ['rebind.test'] });
    const url = `http://rebind.test:${server.port}/`;
    expect((await egress.fetch(url)).status).toBe(200);
    expect((await failure(egress.fetch(url))).code).toBe('not_allowed');
    expect(server.seen).toHaveLength(1);
  });

  test('a connection to another address of the same name is not reused', async () => {
    await using server = await startServer((_request, response) => response.end('internal'));
    const { resolve } = scriptResolver({ 'moving.test': [['127.0.0.1'], ['127.0.0.2']] });
    const egress = egressWith({ resolve, allow: ['moving.test'], limits: { connectTimeoutMs: 1_000 } });
    const url = `http://moving.test:${server.port}/`;
    expect((await egress.fetch(url)).status).toBe(200);
    // some systems refuse the unused loopback address, others let it time out
    expect(['unreachable', 'timeout']).toContain((await failure(egress.fetch(url))).code);
    expect(server.seen).toHaveLength(1);
  });

  test('a second checked address serves when the first is dead', async () => {
    await using server = await startServer((_request, response) => response.end('second'));
    const { resolve } = scriptResolver({ 'both.test': [['::1', '127.0.0.1']] });
    const egress = egressWith({ resolve, allow: ['both.test'] });
    expect(await (await egress.fetch(`http://both.test:${server.port}/`)).text()).toBe('second');
  });
});
