/** Owns making a workflow from a graph in JSON, and starting a run with its input. */
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import type { WholeWorkflow } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { makeWorkflow, startRun } from './workflow-queries.ts';

const SAMPLE = {
  nodes: [
    { id: 's', type: 'start', label: 'Start' },
    { id: 't', type: 'transform', label: 'Words', config: { template: 'Hello {{input.name}}' } },
    { id: 'e', type: 'end', label: 'End', config: { output: '{{nodes.t.text}}' } },
  ],
  edges: [
    { id: '1', sourceNodeId: 's', targetNodeId: 't' },
    { id: '2', sourceNodeId: 't', targetNodeId: 'e' },
  ],
};

export function NewWorkflow({
  agentId,
  onClose,
  onMade,
}: {
  readonly agentId: string;
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}) {
  const [name, setName] = useState('');
  const [text, setText] = useState(() => JSON.stringify(SAMPLE, null, 2));
  const make = useAct(async () => makeWorkflow(agentId, name.trim(), objectIn(text)), {
    isQuiet: true,
    onDone({ id }) {
      makeOld('agents');
      onMade(id);
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      size="l"
      onClose={onClose}
      onSubmit={() => name.trim() !== '' && make.run()}
      title="New workflow"
      description="It begins as a draft: activate it, then run it. A graph cannot be changed later; make another in its place."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={make.isBusy} disabled={name.trim() === ''}>
            Make it
          </Button>
        </>
      }
    >
      <div className="stack">
        {make.error && <Notice tone="red">{make.error.message}</Notice>}
        <Field label="Name" isRequired>
          <Input value={name} onText={setName} maxLength={100} />
        </Field>
        <Field
          label="Graph"
          hint="start, agent_session, work_task, condition, delay, transform, parallel, join and end; texts take {{input.x}} and {{nodes.ID.text}}"
        >
          <CodeEditor label="Graph" language="json" value={text} onChange={setText} minLines={12} />
        </Field>
      </div>
    </Dialog>
  );
}

export function StartRun({
  agentId,
  workflow,
  onClose,
  onStarted,
}: {
  readonly agentId: string;
  readonly workflow: WholeWorkflow;
  readonly onClose: () => void;
  readonly onStarted: (runId: string) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(inputOf(workflow), null, 2));
  const start = useAct(async () => startRun(agentId, workflow.id, objectIn(text)), {
    isQuiet: true,
    onDone({ run_id: runId }) {
      makeOld('agents');
      onStarted(runId);
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => start.run()}
      title={`Run “${workflow.name}”`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={start.isBusy}>
            Run
          </Button>
        </>
      }
    >
      <div className="stack">
        {start.error && <Notice tone="red">{start.error.message}</Notice>}
        <Field label="Input">
          <CodeEditor
            label="Input"
            language="json"
            value={text}
            onChange={setText}
            minLines={4}
            onSubmit={() => start.run()}
          />
        </Field>
      </div>
    </Dialog>
  );
}

/** The names that its texts read of the input, each empty. */
function inputOf({ nodes }: WholeWorkflow): Record<string, string> {
  const found = JSON.stringify(nodes).matchAll(/\{\{\s{0,9}input\.([A-Za-z0-9_-]{1,100})/g);
  return Object.fromEntries([...found].flatMap(([, name]) => (name === undefined ? [] : [[name, '']])));
}

function objectIn(text: string): object {
  const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('Write an object: what stands between { and }.');
  return value;
}
