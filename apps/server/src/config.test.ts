/** Options come from flags, then variables, then defaults; a bad value is refused by its name. */
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Settings } from '@parley/kit';
import { helpFor } from './cli/help.ts';
import { commandWord, loadConfig, UsageError } from './config.ts';
import { OPTIONS, variableOf } from './options.ts';
import { OWN_TOOLSETS } from './toolsets.ts';

const load = (args: readonly string[], env: Record<string, string> = {}) => loadConfig(args, { env }).config;

describe('where a value comes from', () => {
  test('switches have variables too, and the feedback side its own options', () => {
    expect(load([], { PARLEY_JSON: '1', PARLEY_DEMO: 'true' })).toMatchObject({
      json: true,
      settings: { demo: true },
    });
    expect(load(['--json'], { PARLEY_JSON: '0', PARLEY_DEMO: 'no' })).toMatchObject({
      json: true,
      settings: { demo: false },
    });
    expect(load([]).web).toEqual({ trustedProxies: [], publicUrl: undefined });
    expect(load([]).pooler).toEqual({ directUrl: undefined, preparedStatements: true });
    expect(
      load(['--database-direct-url', 'postgres://db/parley'], { PARLEY_PREPARED_STATEMENTS: 'off' }).pooler,
    ).toEqual({ directUrl: 'postgres://db/parley', preparedStatements: false });
    expect(() => load(['--prepared-statements', 'maybe'])).toThrow(
      '--prepared-statements: must be on or off',
    );
    expect(load([]).settings).toEqual({
      'api-rate': 100,
      'api-key-rate': undefined,
      'page-rate': 600,
      'visitor-rate': 100,
      'note-lease': 30,
      'organization-host': [],
      demo: false,
      'search-api-key': undefined,
      'search-url': undefined,
      'github-token': undefined,
      'github-api-url': undefined,
      'github-allowed-owners': [],
      'github-deny': [],
      'github-footer': 'on',
      'remote-agents': 'on',
      a2a: 'off',
      'a2a-agent': undefined,
      'slack-url': undefined,
      'discord-url': undefined,
      'telegram-url': undefined,
      runner: 'inbox',
      'runner-command': undefined,
      'project-root': [],
      'work-tasks': 'on',
      'code-index': 'on',
    });
    const flags = [
      '--api-rate',
      '5',
      '--api-key-rate',
      '6',
      '--trusted-proxy',
      '10.0.0.0/8,::1',
      '--visitor-rate',
      '7',
      '--page-rate',
      '8',
    ];
    expect(load([...flags, '--public-url', 'https://f.example.com/', '--allow-egress', 'a:1'])).toMatchObject(
      {
        web: { trustedProxies: ['10.0.0.0/8', '::1'], publicUrl: 'https://f.example.com' },
        settings: { 'api-rate': 5, 'api-key-rate': 6, 'visitor-rate': 7, 'page-rate': 8 },
        allowEgress: ['a:1'],
      },
    );
    for (const url of ['f.example.com', 'ftp://f.example.com', 'https://f.example.com/path'])
      expect(() => load(['--public-url', url])).toThrow(UsageError);
  });

  test('nothing given means loopback, port 4680 and a folder here', () => {
    const config = load([]);
    expect(config).toMatchObject({ port: 4680, host: '127.0.0.1', dataDir: resolve('.parley'), json: false });
    expect(config).toMatchObject({
      databaseUrl: undefined,
      secretKey: undefined,
      otlpEndpoint: undefined,
      key: undefined,
    });
    expect(config).toMatchObject({ allowHosts: [], allowOrigins: [], logLevel: 'info' });
    expect(config.limits).toMatchObject({ bodyBytes: 4_194_304, ratePerSecond: 100, rateBurst: 200 });
    expect(config.recordRetention).toEqual({
      maxAgeMs: 30 * 86_400_000,
      maxRows: 10_000_000,
      maxBytes: 5 * 1024 ** 3,
    });
  });

  test.each([
    ['port', 'port', '5001', '5002', 5001, 5002],
    ['host', 'host', '::1', '0.0.0.0', '::1', '0.0.0.0'],
    ['data', 'dataDir', '/a', '/b', '/a', '/b'],
    ['database-url', 'databaseUrl', 'postgres://a', 'postgres://b', 'postgres://a', 'postgres://b'],
    ['otlp-endpoint', 'otlpEndpoint', 'http://a', 'http://b', 'http://a', 'http://b'],
    ['log-level', 'logLevel', 'debug', 'error', 'debug', 'error'],
    ['key', 'key', 'k1', 'k2', 'k1', 'k2'],
    ['allow-host', 'allowHosts', 'a,b', 'c, d ,', ['a', 'b'], ['c', 'd']],
    ['allow-origin', 'allowOrigins', 'http://a', 'http://b', ['http://a'], ['http://b']],
  ] as const)(
    '--%s wins over its variable, which wins over the default',
    (name, field, flag, variable, ...expected) => {
      const env = { [variableOf(name)]: variable };
      expect(load([`--${name}`, flag], env)[field]).toEqual(expected[0]);
      expect(load([], env)[field]).toEqual(expected[1]);
      expect(load([])[field]).not.toEqual(expected[1]);
    },
  );

  test('a setting of a toolset follows the same order', () => {
    const env = { PARLEY_NOTE_LEASE: '45' };
    expect(load(['--note-lease', '1'], env).settings['note-lease']).toBe(1);
    expect(load([], env).settings['note-lease']).toBe(45);
  });

  test('a toolset that a program brings has its settings read and listed like the own ones', () => {
    const facts = { value: 'X', help: 'Helps', section: 'reach' } as const;
    const settings: Settings = {
      depth: { flag: 'depth', kind: 'number', low: 1, high: 9, fallback: '4', ...facts },
      width: { flag: 'width', kind: 'number', low: 1, high: 9, ...facts },
      colour: { flag: 'colour', kind: 'text', ...facts },
      lamps: { flag: 'lamp', kind: 'list', ...facts },
      quiet: { flag: 'quiet', kind: 'switch', ...facts, value: '' },
    };
    const toolsets = [{ settings }];
    const read = (args: string[], env = {}) => loadConfig(args, { toolsets, env }).config.settings;
    expect(read([])).toMatchObject({ depth: 4, width: undefined, colour: undefined, lamp: [], quiet: false });
    expect(read(['--width', '2', '--lamp', 'a,b', '--quiet'], { PARLEY_COLOUR: 'red' })).toMatchObject({
      width: 2,
      colour: 'red',
      lamp: ['a', 'b'],
      quiet: true,
    });
    expect(() => read(['--depth', '10'])).toThrow('--depth: must be a whole number from 1 to 9 (got "10")');
    expect(() => load(['--depth', '2'])).toThrow(UsageError);
    expect(helpFor('start', toolsets)).toMatch(/--organization-host PAIR .*\n {2}--depth X +Helps \(4\)\n/);
    expect(helpFor('start')).not.toContain('--depth');
  });

  test('two options of one name are refused, whoever declares them', () => {
    for (const flag of ['port', 'note-lease']) {
      const setting = { flag, kind: 'switch', value: '', help: 'Helps', section: 'traffic' } as const;
      expect(() => loadConfig([], { toolsets: [{ settings: { setting } }], env: {} })).toThrow(
        `Two options have the flag --${flag}.`,
      );
    }
  });

  test('the settings that are known before code is loaded are those that the toolsets declare', async () => {
    for (const { load: loadToolset, settings } of OWN_TOOLSETS)
      expect((await loadToolset()).settings).toBe(settings);
  });

  test('limits and retention follow the same order', () => {
    const env = {
      PARLEY_RATE: '7',
      PARLEY_BODY_LIMIT: '2048',
      PARLEY_RECORD_DAYS: '2',
      PARLEY_RECORD_ROWS: '5000',
      PARLEY_RECORD_BYTES: '2097152',
    };
    const config = load(
      ['--rate', '9', '--rate-burst', '11', '--record-days', '3', '--connections', '12'],
      env,
    );
    expect(config.limits).toMatchObject({
      ratePerSecond: 9,
      rateBurst: 11,
      heavyRatePerSecond: 9 / 5,
      heavyRateBurst: 11 / 5,
      bodyBytes: 2048,
      connections: 12,
    });
    expect(config.recordRetention).toEqual({ maxAgeMs: 3 * 86_400_000, maxRows: 5000, maxBytes: 2_097_152 });
  });

  test('a repeated list adds up, and commas separate', () => {
    expect(load(['--allow-host', 'a', '--allow-host', 'b,c']).allowHosts).toEqual(['a', 'b', 'c']);
  });

  test('the secret key comes from its variable only', () => {
    expect(load([], { PARLEY_SECRET_KEY: 'box' }).secretKey).toBe('box');
    expect(() => load(['--secret-key', 'box'])).toThrow(UsageError);
  });

  test('the standard variable of OpenTelemetry counts after our own', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://standard' };
    expect(load([], env).otlpEndpoint).toBe('http://standard');
    expect(load([], { ...env, PARLEY_OTLP_ENDPOINT: 'http://own' }).otlpEndpoint).toBe('http://own');
  });

  test('the switches of a command are read beside the options', () => {
    const kinds = { grant: 'list', expires: 'text', quick: 'switch' } as const;
    const args = ['create', 'CI', '--grant', 'a:b', '--grant', 'c:*', '--expires', '1d', '--quick', '--json'];
    const { config, positionals, extras } = loadConfig(args, { extra: kinds, env: {} });
    expect(positionals).toEqual(['create', 'CI']);
    expect(extras).toMatchObject({ grant: ['a:b', 'c:*'], expires: '1d', quick: true });
    expect(config.json).toBe(true);
  });
});

describe('a bad value', () => {
  const numbers = Object.entries(OPTIONS).flatMap(([name, { kind }]) => (kind === 'number' ? [name] : []));

  test.each(numbers)('of --%s names the option, as a flag and as a variable', (name) => {
    for (const bad of ['x', '', ' ', '1.5', '-1', 'NaN', 'Infinity', '99999999999999999999']) {
      const pattern = new RegExp(`^--${name}: must be a whole number from \\d+ to \\d+ \\(got `);
      expect(() => load([`--${name}=${bad}`]), bad).toThrow(pattern);
      expect(() => load([], { [variableOf(name)]: bad }), bad).toThrow(pattern);
    }
  });

  test('of the port ends at 65535', () => {
    expect(load(['--port', '65535']).port).toBe(65_535);
    expect(() => load(['--port', '65536'])).toThrow(
      '--port: must be a whole number from 0 to 65535 (got "65536")',
    );
  });

  test('of the log level lists the levels', () => {
    expect(() => load(['--log-level', 'loud'])).toThrow('--log-level: must be one of fatal, error');
  });

  test('an unknown option, a switch with a value and a flag without one are usage errors of one line', () => {
    for (const args of [['--colour'], ['--json=yes'], ['--port'], ['--port', '--json'], ['-x']]) {
      let message = '';
      try {
        load(args);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        message = String(error);
      }
      expect(message, args.join(' ')).toContain(args[0]?.split('=')[0]);
      expect(message).not.toMatch(/\n|positional/);
    }
  });
});

test.each([
  [{ npm_lifecycle_event: 'parley' }, 'npm run -s parley --'],
  [{ npm_lifecycle_event: 'start' }, 'npm run -s parley --'],
  [{ npm_lifecycle_event: 'test' }, 'parley'],
  [{}, 'parley'],
])('where %j started the process, commands are told as %s', (env, word) => {
  expect(commandWord(env)).toBe(word);
});

describe('the PATH of programs', () => {
  const BEFORE = '/usr/local/bin:/usr/bin';
  const NPM = '/srv/parley/node_modules/.bin:/srv/node_modules/.bin:/usr/lib/npm/run-script/lib/node-gyp-bin';
  const UNDER_NPM = { npm_lifecycle_event: 'start' };

  test.each<[string, Record<string, string>, string | undefined]>([
    ['is that of whoever started Parley', { PATH: BEFORE }, BEFORE],
    ['has nothing that npm put before it', { PATH: `${NPM}:${BEFORE}`, ...UNDER_NPM }, BEFORE],
    ['has it not from two of them either', { PATH: `${NPM}:${NPM}:${BEFORE}`, ...UNDER_NPM }, BEFORE],
    [
      'keeps what stands behind its own',
      { PATH: `${NPM}:${BEFORE}:/home/me/node_modules/.bin`, ...UNDER_NPM },
      `${BEFORE}:/home/me/node_modules/.bin`,
    ],
    [
      'is as it is without npm',
      { PATH: `/home/me/node_modules/.bin:${BEFORE}` },
      `/home/me/node_modules/.bin:${BEFORE}`,
    ],
    ['is not there without one', UNDER_NPM, undefined],
  ])('%s', (_name, env, path) => {
    expect(load([], env).programs.environment['PATH']).toBe(path);
  });
});
