/** Bad input to every built-in tool: each fault is named by field and rule, and no tool has begun. */
import { connect } from '@parley/kit/testing';
import { describe, expect, test } from 'vitest';
import { validInputs } from '../../test/valid-inputs.ts';
import type { AgentServices } from '../services/index.ts';
import { agentToolset } from '../toolset.ts';

/** The fields that each tool cannot do without. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  corvid_send_message: ['to_agent', 'message'],
  corvid_list_agents: [],
  corvid_list_projects: [],
  corvid_save_memory: ['key'],
  corvid_recall_memory: [],
  corvid_extend_timeout: ['minutes'],
  corvid_check_credits: [],
  corvid_grant_credits: ['wallet_address', 'amount'],
  corvid_credit_config: [],
  corvid_create_work_task: ['description'],
  corvid_manage_schedule: ['action'],
  corvid_manage_workflow: ['action'],
  corvid_web_search: ['query'],
  corvid_deep_research: ['topic'],
  corvid_discover_agent: ['url'],
  corvid_invoke_remote_agent: ['agent_url', 'message'],
  corvid_notify_owner: ['message'],
  corvid_ask_owner: ['question'],
  corvid_configure_notifications: ['action'],
  corvid_github_star_repo: ['repo'],
  corvid_github_unstar_repo: ['repo'],
  corvid_github_fork_repo: ['repo'],
  corvid_github_list_prs: ['repo'],
  corvid_github_create_pr: ['repo', 'title', 'body', 'head'],
  corvid_github_review_pr: ['repo', 'pr_number', 'event', 'body'],
  corvid_github_create_issue: ['repo', 'title', 'body'],
  corvid_github_list_issues: ['repo'],
  corvid_github_repo_info: ['repo'],
  corvid_github_get_pr_diff: ['repo', 'pr_number'],
  corvid_github_comment_on_pr: ['repo', 'pr_number', 'body'],
  corvid_github_follow_user: ['username'],
  corvid_check_reputation: [],
  corvid_check_health_trends: ['project_id'],
  corvid_publish_attestation: [],
  corvid_verify_agent_reputation: [],
  corvid_code_symbols: ['query'],
  corvid_find_references: ['symbol_name'],
};

/** The lowest and the highest number of each field that has them; others are clamped, and take any number. */
const RANGES: Readonly<Record<string, Readonly<Record<string, readonly [number, number?]>>>> = {
  corvid_send_message: { wait_seconds: [0, 300] },
  corvid_save_memory: { expires_in_days: [1, 3650] },
  corvid_recall_memory: { limit: [1, 20] },
  corvid_grant_credits: { amount: [1, 1_000_000] },
  // Below 5 it is too frequent, which is an answer of its own.
  corvid_manage_schedule: { interval_minutes: [1, 525_600] },
  corvid_manage_workflow: { max_concurrency: [1, 4] },
  corvid_invoke_remote_agent: { timeout_minutes: [1, 30] },
  corvid_github_list_prs: { limit: [1, 100] },
  corvid_github_list_issues: { limit: [1, 100] },
  corvid_github_review_pr: { pr_number: [1] },
  corvid_github_get_pr_diff: { pr_number: [1] },
  corvid_github_comment_on_pr: { pr_number: [1] },
  corvid_check_health_trends: { limit: [2, 100] },
  corvid_code_symbols: { limit: [1, 200] },
  corvid_find_references: { limit: [1, 500] },
};

interface Field {
  readonly type?: string;
  readonly anyOf?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly enum?: unknown;
}

/** One bad input, and what must be said of it. */
interface Bad {
  readonly field: string;
  readonly value: unknown;
  readonly says: string;
}

const TYPES: Readonly<Record<string, readonly [wrong: unknown, says: string]>> = {
  string: [7, 'must be a string'],
  number: ['seven', 'must be a number'],
  integer: ['seven', 'must be a'],
  boolean: ['seven', 'must be a boolean'],
  array: ['seven', 'must be an array'],
  object: ['seven', 'must be a'],
};

/** What is wrong for a field by its schema; undefined stands for a field that is not there. */
function badValues(field: string, schema: Field): Bad[] {
  const [wrong, says] = (schema.enum === undefined ? TYPES[schema.type ?? ''] : [7, 'must be one of']) ?? [
    {},
    '',
  ];
  const bad: Bad[] = [{ field, value: wrong, says }];
  if (schema.maxLength !== undefined)
    bad.push({ field, value: 'x'.repeat(schema.maxLength + 1), says: `at most ${schema.maxLength}` });
  if (schema.minLength === 1) bad.push({ field, value: '  ', says: 'at least 1' });
  if (schema.maxItems !== undefined)
    bad.push({ field, value: Array.from({ length: schema.maxItems + 1 }, () => 'x'), says: 'items' });
  return bad;
}

/** What is said of a field that is not there. */
function absent(schema: Field | undefined): string {
  return schema?.enum === undefined ? 'is required' : 'must be one of';
}

function outOfRange(tool: string): Bad[] {
  return Object.entries(RANGES[tool] ?? {}).flatMap(([field, [least, most]]) => [
    { field, value: least - 1, says: `must be at least ${least}` },
    ...(most === undefined ? [] : [{ field, value: most + 1, says: `must be at most ${most}` }]),
  ]);
}

describe.each(['modern', 'legacy'] as const)('check 29: bad input of a %s client', (era) => {
  /** Services that say when a tool asks for them. */
  const touched: PropertyKey[] = [];
  const services = new Proxy({} as AgentServices, {
    get(_target, name) {
      // What is there is asked before the input is.
      if (name !== 'work' && name !== 'code') touched.push(name);
      return {};
    },
  });
  const agent = { id: 'agt_1', name: 'Agent', depth: 1, source: 'web' };
  const inputs: Readonly<Record<string, object>> = validInputs({ other: 'agt_2', account: 'acc_2' });

  test('is refused by every tool, which has not begun', async () => {
    await using client = await connect(agentToolset, { services, era, as: { agent } });
    const { tools } = await client.raw.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(REQUIRED).toSorted());
    for (const { name, inputSchema } of tools) {
      const properties = inputSchema.properties as Record<string, Field>;
      const required = REQUIRED[name] ?? [];
      expect([name, inputSchema.required ?? []]).toEqual([name, required]);
      const ranged = Object.entries(properties).filter(
        ([, field]) => field.minimum !== undefined && (field.maximum ?? Infinity) > field.minimum,
      );
      expect([name, ranged.map(([field]) => field)]).toEqual([name, Object.keys(RANGES[name] ?? {})]);
      const bad: Bad[] = [
        { field: 'no_such_field', value: 1, says: 'is not a known field' },
        ...required.map((field) => ({ field, value: undefined, says: absent(properties[field]) })),
        ...Object.entries(properties).flatMap(([field, schema]) => badValues(field, schema)),
        ...outOfRange(name),
      ];
      // The check is the same in both eras; one shows that the other gets its words too.
      for (const { field, value, says } of era === 'modern' ? bad : bad.slice(0, 2)) {
        const args = { ...inputs[name], [field]: value };
        const result = await client.raw.callTool({ name, arguments: args });
        const [first] = result.content;
        const text = first?.type === 'text' ? first.text : '';
        const shown = JSON.stringify({ name, field, value }).slice(0, 200);
        expect(result.isError, shown).toBe(true);
        expect(text, shown).toMatch(new RegExp(`(?:^Error: |; )${field}(?:\\.\\d+)?: .*${says}`));
      }
    }
    expect(touched).toEqual([]);
  });

  test('is told from good input, with which the same tools begin', async () => {
    await using client = await connect(agentToolset, { services, era, as: { agent } });
    for (const [name, args] of Object.entries(inputs)) {
      touched.length = 0;
      // What they make of such services is no matter.
      await client.raw.callTool({ name, arguments: { ...args } }).catch(() => undefined);
      expect(touched, name).not.toEqual([]);
    }
  });
});
