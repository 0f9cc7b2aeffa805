/** The definitions of the toolset, held against the golden file. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startTasks } from '../../test/start-tasks.ts';
import { tasksToolset } from '../toolset.ts';

test.each(['modern', 'legacy'] as const)(
  'the tools of a %s client are as the golden file says',
  async (era) => {
    await using started = await startTasks(tasksToolset, { era });
    const { tools } = await started.client.raw.listTools();
    const golden = await readFile(new URL('tools-list.golden.json', import.meta.url), 'utf8');
    expect(tools).toEqual(JSON.parse(golden));
  },
);

test('every input field has a description, only the id and the steps are required, and nothing else is taken', async () => {
  await using started = await startTasks(tasksToolset);
  const { tools } = await started.client.raw.listTools();
  for (const { inputSchema } of tools) {
    expect(inputSchema.additionalProperties).toBe(false);
    for (const field of Object.values(inputSchema.properties ?? {}))
      expect(field).toHaveProperty('description');
    for (const name of inputSchema.required ?? []) expect(['steps', 'taskId']).toContain(name);
  }
});
