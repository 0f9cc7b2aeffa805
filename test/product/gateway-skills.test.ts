/** Skills of connections in the whole server: listed with whose they are, read as they were agreed to, held when they change. */
import { hash } from 'node:crypto';
import { eventually } from '@parley/test-support/eventually';
import type { WireUpstream } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';
import { expect, test } from 'vitest';
import { startOver } from './over-upstreams.ts';

const SKILLS = 'io.modelcontextprotocol/skills';
const TOOL = { name: 'work', inputSchema: { type: 'object' } };

type Files = Record<string, string>;

const fileOf = (uri: string, text: string) => ({
  uri,
  digest: `sha256:${hash('sha256', text)}`,
  size: Buffer.byteLength(text),
});

/** A skill whose documents are these; the first is its SKILL.md. */
const skillOf = (name: string, files: Files, more: object = {}) => ({
  uri: Object.keys(files)[0],
  frontmatter: { name, description: `How to ${name}.`, ...more },
  resources: Object.entries(files).map(([uri, text]) => fileOf(uri, text)),
});

/** A server with skills, and documents that may be others than these say. */
function serveSkills(
  has: { skills: readonly object[]; files: Files },
  extensions: object = { [SKILLS]: {} },
) {
  const cached = { ttlMs: 0, cacheScope: 'private' };
  return serveWire({
    era: '2026',
    capabilities: { tools: {}, resources: {}, extensions },
    methods: {
      'tools/list': ({ result }) => result({ tools: [TOOL], ...cached }),
      'resources/list': ({ result }) => result({ resources: [], ...cached }),
      'resources/templates/list': ({ result }) => result({ resourceTemplates: [], ...cached }),
      'skills/list': ({ result }) => result({ skills: has.skills, ...cached }),
      'resources/read': ({ message: { params }, result, error }) => {
        const uri = String(params?.['uri']);
        const text = has.files[uri];
        return text === undefined
          ? error(-32602, 'Resource not found')
          : result({ contents: [{ uri, mimeType: 'text/markdown', text }], ...cached });
      },
    },
  });
}

const start = (...upstreams: readonly WireUpstream[]) => startOver(upstreams);

const GIT: Files = { 'skill://git/SKILL.md': '# Git of one', 'skill://git/more.md': 'More of one' };

test('skills of all servers are listed with whose they are, and their documents can be read', async () => {
  const other: Files = { 'skill://git/SKILL.md': '# Git of two', 'skill://git/own.md': 'Own of two' };
  const one = skillOf('git', GIT, { license: 'MIT' });
  const { ask } = await start(
    await serveSkills({ skills: [one], files: GIT }),
    await serveSkills({ skills: [skillOf('git', other)], files: other }),
    await serveSkills({ skills: [], files: {} }, {}),
  );
  const extensionsAt = async (place: string) =>
    (await ask('server/discover', {}, place)).result?.['capabilities'] as { extensions: object };
  expect((await extensionsAt('/conn_1')).extensions).toHaveProperty([SKILLS]);
  expect((await extensionsAt('/conn_3')).extensions).not.toHaveProperty([SKILLS]);
  expect((await ask('skills/list', {}, '/conn_3')).error).toMatchObject({ code: -32601 });
  const origin = (id: string, title: string) => ({ 'parley/connection': { id, title, name: 'git' } });
  expect((await ask('skills/list', {}, '/conn_1')).result).toMatchObject({
    resultType: 'complete',
    skills: [{ ...one, _meta: origin('conn_1', 'Server 1') }],
    cacheScope: 'private',
  });
  expect((await ask('resources/list', {}, '/conn_1')).result).toMatchObject({ resources: [] });

  // The whole skill moves when one of its documents has to.
  const moved = 'skill://conn_2/git/SKILL.md';
  const both = (await ask('skills/list')).result?.['skills'];
  expect(both).toMatchObject([
    { uri: 'skill://git/SKILL.md', resources: one.resources, _meta: origin('conn_1', 'Server 1') },
    {
      uri: moved,
      resources: [{ uri: moved }, { uri: 'skill://conn_2/git/own.md' }],
      _meta: origin('conn_2', 'Server 2'),
    },
  ]);
  expect((await ask('skills/get', { uri: moved })).result).toMatchObject({ skill: { uri: moved } });
  expect((await ask('skills/get', { uri: 'skill://nothing/SKILL.md' })).error).toMatchObject({
    code: -32602,
  });
  const read = async (uri: string) => (await ask('resources/read', { uri })).result?.['contents'];
  expect(await read('skill://git/more.md')).toMatchObject([{ text: 'More of one' }]);
  expect(await read('skill://conn_2/git/own.md')).toMatchObject([
    { uri: 'skill://conn_2/git/own.md', text: 'Own of two' },
  ]);
});

test('a document that is not what its skill says is given to nobody', async () => {
  const has = { skills: [skillOf('git', GIT)], files: { ...GIT } };
  const { ask } = await start(await serveSkills(has));
  const read = (uri: string) => ask('resources/read', { uri }, '/conn_1');
  expect((await read('skill://git/more.md')).result).toMatchObject({ contents: [{ text: 'More of one' }] });
  has.files['skill://git/more.md'] = 'evil';
  const refused = await read('skill://git/more.md');
  expect(refused.error).toMatchObject({ data: { code: 'invalid_result' } });
  expect(JSON.stringify(refused)).not.toContain('evil');
});

test('a skill that changes is held until somebody agrees to it', async () => {
  const has = { skills: [skillOf('git', GIT)] as object[], files: { ...GIT } };
  const { ask, rest } = await start(await serveSkills(has));
  const listed = async () => (await ask('skills/list', {}, '/conn_1')).result?.['skills'];
  expect(await listed()).toHaveLength(1);

  has.files['skill://git/SKILL.md'] = '# evil';
  has.skills = [skillOf('git', has.files)];
  await rest('refresh', {});
  await eventually(async () =>
    expect((await ask('skills/list', {}, '/conn_1')).error).toMatchObject({ code: -32601 }),
  );
  const refused = await ask('resources/read', { uri: 'skill://git/SKILL.md' }, '/conn_1');
  expect(refused.error).toMatchObject({ data: { code: 'quarantined' } });
  expect(JSON.stringify(refused)).not.toContain('evil');

  const { definitions } = (await rest('definitions')) as {
    definitions: { tool: string; hash: string; state: string; diff: { field: string }[] }[];
  };
  expect(definitions).toMatchObject([
    { tool: 'skill://git/SKILL.md', state: 'held', diff: [{ field: 'skill.resources' }] },
    { tool: 'work', state: 'approved' },
  ]);
  const agreed = definitions.slice(0, 1).map(({ tool, hash: shown }) => ({ tool, hash: shown }));
  expect(await rest('definitions/approve', { definitions: agreed })).toEqual({ approved: 1 });
  await eventually(async () => expect(await listed()).toHaveLength(1));
  const again = await ask('resources/read', { uri: 'skill://git/SKILL.md' }, '/conn_1');
  expect(again.result).toMatchObject({ contents: [{ text: '# evil' }] });
});

test.each([
  ['a digest that is none', { resources: [{ ...fileOf('skill://git/SKILL.md', ''), digest: 'md5:1' }] }],
  [
    'a document outside of its folder',
    { resources: [fileOf('skill://git/SKILL.md', ''), fileOf('file:///etc/passwd', '')] },
  ],
  ['no SKILL.md among its documents', { resources: [fileOf('skill://git/more.md', '')] }],
  ['no documents', { resources: undefined }],
  [
    'a folder of another name',
    { uri: 'skill://other/SKILL.md', resources: [fileOf('skill://other/SKILL.md', '')] },
  ],
])('a skill with %s is left out alone', async (_name, change) => {
  const good = skillOf('good', { 'skill://good/SKILL.md': 'fine' });
  const skills = [{ ...skillOf('git', GIT), ...change }, good];
  const { ask } = await start(await serveSkills({ skills, files: GIT }));
  expect((await ask('skills/list', {}, '/conn_1')).result).toMatchObject({ skills: [{ uri: good.uri }] });
});
