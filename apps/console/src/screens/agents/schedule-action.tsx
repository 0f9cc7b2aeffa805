/** Owns the form of what a schedule does: a kind, and what that kind needs. */
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { useAgents } from './queries.ts';
import type { ScheduleFields } from './schedule-queries.ts';

/** An action while it is typed. */
export type ActionDraft = NonNullable<ScheduleFields['schedule_actions']>[number];

type Need = 'repos' | 'description' | 'to_agent_id' | 'message' | 'prompt';

/** Each kind with what it cannot do without. */
const KINDS: readonly {
  readonly value: ActionDraft['type'];
  readonly label: string;
  readonly needs: readonly Need[];
}[] = [
  { value: 'custom', label: 'Do what a prompt says', needs: ['prompt'] },
  { value: 'send_message', label: 'Send a message', needs: ['to_agent_id', 'message'] },
  { value: 'council_launch', label: 'Ask other agents together', needs: ['message'] },
  { value: 'work_task', label: 'Make a work task', needs: ['description'] },
  { value: 'review_prs', label: 'Review pull requests', needs: ['repos'] },
  { value: 'github_suggest', label: 'Suggest improvements', needs: ['repos'] },
  { value: 'star_repo', label: 'Star repositories', needs: ['repos'] },
  { value: 'fork_repo', label: 'Fork repositories', needs: ['repos'] },
  { value: 'codebase_review', label: 'Review the code', needs: [] },
  { value: 'dependency_audit', label: 'Look at dependencies', needs: [] },
  { value: 'improvement_loop', label: 'Improve the code', needs: [] },
  { value: 'memory_maintenance', label: 'Tidy its memory', needs: [] },
  { value: 'reputation_attestation', label: 'Attest its reputation', needs: [] },
];

const needsOf = (type: string) => KINDS.find(({ value }) => value === type)?.needs ?? [];

/** True when nothing that its kind needs is missing. */
export function isActionReady(action: ActionDraft): boolean {
  return needsOf(action.type).every((need) => {
    const value = action[need];
    return typeof value === 'string' ? value.trim() !== '' : (value?.length ?? 0) > 0;
  });
}

/** The action with what its kind takes, and nothing of another kind that was typed before. */
export function actionOf(action: ActionDraft): ActionDraft {
  const needs: readonly string[] = needsOf(action.type);
  const kept = Object.entries(action).filter(([field]) => field === 'project_id' || needs.includes(field));
  const repos = action.repos?.filter((name) => name !== '');
  return { ...Object.fromEntries(kept), type: action.type, ...(needs.includes('repos') && { repos }) };
}

/** The fields. */
export function ActionFields({
  agentId,
  action,
  onChange,
}: {
  readonly agentId: string;
  readonly action: ActionDraft;
  readonly onChange: (action: ActionDraft) => void;
}) {
  const others = (useAgents().data ?? []).filter(({ id }) => id !== agentId);
  const needs = needsOf(action.type);
  return (
    <>
      <Field label="What it does">
        <Select value={action.type} onChange={(type) => onChange({ ...action, type })} options={KINDS} />
      </Field>
      {needs.includes('to_agent_id') && (
        <Field label="To the agent" isRequired>
          <Select
            value={action.to_agent_id}
            onChange={(to) => onChange({ ...action, to_agent_id: to })}
            options={others.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
      )}
      {needs.includes('message') && (
        <Field label="Message" isRequired>
          <TextArea
            value={action.message ?? ''}
            onText={(message) => onChange({ ...action, message })}
            maxLength={32_768}
          />
        </Field>
      )}
      {needs.includes('prompt') && (
        <Field label="Prompt" isRequired>
          <TextArea
            value={action.prompt ?? ''}
            onText={(prompt) => onChange({ ...action, prompt })}
            maxLength={32_768}
          />
        </Field>
      )}
      {needs.includes('description') && (
        <Field label="What is to be done" isRequired>
          <TextArea
            value={action.description ?? ''}
            onText={(description) => onChange({ ...action, description })}
            maxLength={16_384}
          />
        </Field>
      )}
      {needs.includes('repos') && (
        <Field label="Repositories" hint="owner/name, several with commas between" isRequired>
          <Input
            className="mono"
            value={(action.repos ?? []).join(', ')}
            onText={(text) => onChange({ ...action, repos: namesIn(text) })}
          />
        </Field>
      )}
    </>
  );
}

/** The last one may be empty while somebody types the comma before it. */
function namesIn(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return names.length === 1 && names[0] === '' ? [] : names;
}
