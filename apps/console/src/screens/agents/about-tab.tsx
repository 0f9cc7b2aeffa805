/** Owns what an agent is: its words, its project, its keys, the keys it signs with, and its end. */
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { Agent } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/detail-pane.tsx';
import { ConfirmDelete, Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { When } from '../../ui/when.tsx';
import { AgentKeys } from './agent-keys.tsx';
import { useProjects } from './queries.ts';

const NONE = 'none';

export function AboutTab({ agent, onGone }: { readonly agent: Agent; readonly onGone: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const project = useProjects().find(({ id }) => id === agent.default_project_id);
  const remove = useAct(() => request('DELETE /api/agents/{id}', { path: { id: agent.id } }), {
    onDone() {
      onGone();
      makeOld('agents', 'keys');
    },
  });
  return (
    <div className="stack agents-part">
      {agent.description !== '' && (
        <p className="agents-text" dir="auto">
          {agent.description}
        </p>
      )}
      <Facts
        facts={[
          agent.default_project_id !== null && ['Project', project?.name ?? agent.default_project_id],
          agent.runner !== null && ['Runs in', agent.runner],
          ['Made', <When key="made" at={agent.created_at} />],
          ['Changed', <When key="changed" at={agent.updated_at} />],
          [
            'Calls',
            <ScreenLink key="calls" to={`/monitoring/calls?caller=${encodeURIComponent(agent.id)}`}>
              Show what it called
            </ScreenLink>,
          ],
        ]}
      />
      <div className="row-wrap">
        <Button onClick={() => setEditing(true)}>Edit</Button>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete the agent
        </Button>
      </div>
      <AgentKeys agent={agent} />
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete the agent “${agent.name}”?`}
        gone={['Its keys, memory, messages and schedules', 'What it runs now is cancelled']}
        isBusy={remove.isBusy}
        onConfirm={() => remove.run()}
      />
      {isEditing && <EditAgent agent={agent} onClose={() => setEditing(false)} />}
    </div>
  );
}

function EditAgent({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const [name, setName] = useState(agent.name);
  const [about, setAbout] = useState(agent.description);
  const [project, setProject] = useState(agent.default_project_id ?? NONE);
  const projects = useProjects();
  const save = useAct(
    () =>
      request('PATCH /api/agents/{id}', {
        path: { id: agent.id },
        body: {
          name: name.trim(),
          description: about,
          default_project_id: project === NONE ? null : project,
        },
      }),
    {
      isQuiet: true,
      onDone() {
        makeOld('agents');
        onClose();
      },
    },
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => name.trim() !== '' && save.run()}
      title={`Edit ${agent.name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" isRequired error={save.error?.message}>
          <Input value={name} onText={setName} maxLength={100} />
        </Field>
        <Field label="What it is for" hint="Other agents see it">
          <TextArea value={about} onText={setAbout} maxLength={1000} />
        </Field>
        <Field label="The project that it works in">
          <Select
            value={project}
            onChange={setProject}
            options={[
              { value: NONE, label: 'none' },
              ...projects.map(({ id, name: label }) => ({ value: id, label })),
            ]}
          />
        </Field>
      </div>
    </Dialog>
  );
}
