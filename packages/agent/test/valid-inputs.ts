/** An input for each built-in tool that it takes, for tests of all of them. */
import type * as z from 'zod';
import type { agentTools } from '../src/tools/index.ts';

type BuiltIn = (typeof agentTools)[number];
type Inputs = { readonly [Tool in BuiltIn as Tool['name']]: z.input<Tool['input']> };

/** Who and what the inputs speak of. */
export interface Named {
  /** The id or name of another agent. */
  readonly other: string;
  /** The account of another agent. */
  readonly account: string;
  /** A project; absent: one that is not there. */
  readonly project?: string;
}

/** What they ask of other systems is nowhere. */
export function validInputs({ other, account, project = 'proj_none' }: Named): Inputs {
  const repo = 'octo/hello';
  return {
    corvid_send_message: { to_agent: other, message: 'Hello' },
    corvid_list_agents: {},
    corvid_list_projects: {},
    corvid_save_memory: { key: 'colour', content: 'blue', expires_in_days: 10 },
    corvid_recall_memory: { query: 'blue', limit: 5 },
    corvid_extend_timeout: { minutes: 10 },
    corvid_check_credits: { wallet_address: account },
    corvid_grant_credits: { wallet_address: account, amount: 5, reason: 'thanks' },
    corvid_credit_config: { key: 'credits_per_turn', value: 2 },
    corvid_create_work_task: { description: 'Mend the build' },
    corvid_manage_schedule: {
      action: 'create',
      name: 'Morning',
      cron_expression: '0 9 * * *',
      timezone: 'Europe/Berlin',
      schedule_actions: [{ type: 'memory_maintenance' }],
    },
    corvid_manage_workflow: {
      action: 'create',
      name: 'Two steps',
      nodes: [
        { id: 'a', type: 'start', label: 'Start' },
        { id: 'b', type: 'end', label: 'End' },
      ],
      edges: [{ id: 'e', sourceNodeId: 'a', targetNodeId: 'b' }],
      max_concurrency: 2,
    },
    corvid_web_search: { query: 'mcp', count: 3 },
    corvid_deep_research: { topic: 'mcp', sub_questions: ['why'] },
    corvid_discover_agent: { url: 'https://agent.invalid' },
    corvid_invoke_remote_agent: { agent_url: 'https://agent.invalid', message: 'Hello', timeout_minutes: 1 },
    corvid_notify_owner: { message: 'Done', title: 'Build', level: 'success' },
    corvid_ask_owner: { question: 'Go on?', options: ['yes', 'no'], timeout_minutes: 1 },
    corvid_configure_notifications: { action: 'list' },
    corvid_github_star_repo: { repo },
    corvid_github_unstar_repo: { repo },
    corvid_github_fork_repo: { repo, org: 'octo' },
    corvid_github_list_prs: { repo, limit: 5 },
    corvid_github_create_pr: { repo, title: 'Mend', body: 'It works now.', head: 'mend', base: 'main' },
    corvid_github_review_pr: { repo, pr_number: 1, event: 'COMMENT', body: 'Looks good.' },
    corvid_github_create_issue: { repo, title: 'Broken', body: 'It does not work.', labels: ['bug'] },
    corvid_github_list_issues: { repo, state: 'all', limit: 5 },
    corvid_github_repo_info: { repo },
    corvid_github_get_pr_diff: { repo, pr_number: 1 },
    corvid_github_comment_on_pr: { repo, pr_number: 1, body: 'Thanks.' },
    corvid_github_follow_user: { username: 'octo' },
    corvid_check_reputation: {},
    corvid_check_health_trends: { project_id: project, limit: 5 },
    corvid_publish_attestation: {},
    corvid_verify_agent_reputation: { min_trust: 'low' },
    corvid_code_symbols: { query: 'main', limit: 5 },
    corvid_find_references: { symbol_name: 'main', limit: 5 },
  };
}
