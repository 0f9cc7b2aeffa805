/** The histogram of calls: cumulative buckets, escaped labels, and a bound on how many there are. */
import type { CallRecord } from '@parley/kit';
import { soleCaller } from '@parley/kit';
import { expect, test } from 'vitest';
import { CallDurations } from './durations.ts';

const NAME = 'mcp_server_operation_duration_seconds';

function record(change: Partial<CallRecord>): CallRecord {
  return {
    caller: soleCaller('key_1', 'Key', { grants: {}, source: 'key' }),
    method: 'tools/call',
    name: 'greet',
    toolset: 'hello',
    outcome: 'ok',
    code: null,
    durationMs: 0.5,
    info: { era: 'modern', id: null, client: null },
    ...change,
  };
}

test('counts every call in its bucket and in those above', () => {
  const durations = new CallDurations((toolset) => toolset === 'hello');
  for (const durationMs of [0.5, 1, 7, 90_000]) durations.observe(record({ durationMs }));
  const labels = `mcp_method_name="tools/call",gen_ai_tool_name="greet",parley_connection="hello",error_type="",parley_era="modern"`;
  expect(durations.text().split('\n')).toEqual([
    `# HELP ${NAME} Duration of MCP operations as the server sees them.`,
    `# TYPE ${NAME} histogram`,
    `${NAME}_bucket{le="0.001",${labels}} 2`,
    `${NAME}_bucket{le="0.005",${labels}} 2`,
    ...[0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60].map((le) => `${NAME}_bucket{le="${le}",${labels}} 3`),
    `${NAME}_bucket{le="+Inf",${labels}} 4`,
    `${NAME}_sum{${labels}} ${0.0005 + 0.001 + 0.007 + 90}`,
    `${NAME}_count{${labels}} 4`,
  ]);
});

test('a name that was denied is no label, and a label cannot end its line', () => {
  const durations = new CallDurations((toolset) => toolset === 'hello');
  durations.observe(record({ outcome: 'denied', name: 'whatever the client says' }));
  durations.observe(record({ name: 'a"b\\c\nd' }));
  const text = durations.text();
  expect(text).not.toContain('whatever');
  expect(text).toContain(`gen_ai_tool_name="",parley_connection="hello",error_type="denied"`);
  expect(text).toContain(String.raw`gen_ai_tool_name="a\"b\\c\nd"`);
});

test('a tool that only one organization has is counted without its name and its connection', () => {
  const durations = new CallDurations((toolset) => toolset === 'hello');
  for (const method of ['tools/call', 'prompts/get'] as const)
    durations.observe(record({ method, toolset: 'shelf_1', name: 'secret_plan' }));
  expect(durations.text()).not.toContain('secret_plan');
  expect(durations.text()).not.toContain('shelf_1');
  expect(durations.text()).toContain(
    '_count{mcp_method_name="tools/call",gen_ai_tool_name="",parley_connection="",error_type=""',
  );
});

test('the same name of two toolsets is two tools', () => {
  const durations = new CallDurations(() => true);
  for (const toolset of ['hello', 'hallo', 'hello']) durations.observe(record({ toolset }));
  const counts = durations.text().match(/parley_connection="h\wllo",.*_?\} \d+$/gm) ?? [];
  expect(counts.filter((line) => line.endsWith('} 2')).length).toBeGreaterThan(0);
  expect(durations.text()).toContain('parley_connection="hallo"');
});

test('beyond the bound tools are counted without their name', () => {
  const durations = new CallDurations((toolset) => toolset === 'hello');
  for (let index = 0; index < 5_000; index += 1) durations.observe(record({ name: `tool-${index}` }));
  const counts = durations
    .text()
    .split('\n')
    .filter((line) => line.includes('_count{'));
  expect(counts).toHaveLength(2_001);
  expect(counts.find((line) => line.includes('gen_ai_tool_name="",parley_connection=""'))).toMatch(/ 3000$/);
});
