import { expect, test } from 'vitest';
import type { Description } from './description.ts';
import { parseDescription, writeDescription } from './description.ts';

const tool = (name: string, toolset: string) => ({
  name,
  toolset,
  json: JSON.stringify({ name, description: `“${name}” – ✓` }),
});
const WRITTEN: Description = {
  catalog: {
    toolsets: [{ name: 'one', title: 'Öne' }],
    tools: [tool('a', 'one'), tool('b', 'two'), tool('c', 'one')],
    resources: [],
    prompts: [],
  },
  migrations: [{ set: 'one', names: ['001'] }],
  roleDefaults: { member: { one: ['a'] }, user: {} },
};

test.each([
  { served: [], defined: ['a', 'b', 'c'] },
  { served: ['one'], defined: ['a', 'c'] },
  { served: ['two', 'three'], defined: ['b'] },
  { served: ['three'], defined: [] },
])('a description is read as it was written, with the definitions of $served', ({ served, defined }) => {
  const { catalog, ...rest } = parseDescription(Buffer.from(writeDescription(WRITTEN)), served);
  const { catalog: written, ...others } = WRITTEN;
  expect(rest).toEqual(others);
  const tools = written.tools.map((one) => (defined.includes(one.name) ? one : { ...one, json: '' }));
  expect(catalog).toEqual({ ...written, tools });
});
