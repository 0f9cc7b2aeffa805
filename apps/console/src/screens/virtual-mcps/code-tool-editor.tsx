/** Owns writing a tool in code: its name, what it takes and gives back, its code, and a run before it is stored. */
import { ArrowLeft, Play, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { NameChooser } from '../../ui/name-chooser.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast-store.ts';
import { memberChoices, useMemberCandidates } from './candidates.ts';
import {
  createVirtualTool,
  deleteVirtualTool,
  readAgain,
  readSoon,
  tryVirtualTool,
  updateVirtualTool,
} from './queries.ts';
import { TriedView } from './tried-view.tsx';
import type { DescribedVirtualMcp } from '../../api/schema.ts';
import type { VirtualMcp, VirtualTool } from './types.ts';

export interface CodeToolEditorProps {
  readonly virtual: VirtualMcp;
  readonly described: DescribedVirtualMcp;
  /** Undefined: a new one. */
  readonly tool: VirtualTool | undefined;
  readonly has: (tool: string) => boolean;
  readonly onClose: () => void;
  readonly onKept: (name: string) => void;
}

const EMPTY_SCHEMA = '{\n  "type": "object",\n  "properties": {}\n}';

function codeFor(described: DescribedVirtualMcp): string {
  const first = described.shown.find(({ connection }) => connection !== null)?.name ?? 'some_tool';
  const call = /^[A-Za-z_$][\w$]*$/.test(first) ? `tools.${first}` : `tools[${JSON.stringify(first)}]`;
  return `// Gets the tools of the members and the arguments; what it returns is the answer.
export default async (tools, args) => {
  const found = await ${call}(args);
  return { found };
};
`;
}

export function CodeToolEditor({ virtual, described, tool, has, onClose, onKept }: CodeToolEditorProps) {
  const [name, setName] = useState(tool?.name ?? '');
  const [description, setDescription] = useState(tool?.description ?? '');
  const [code, setCode] = useState(() => tool?.code ?? codeFor(described));
  const [input, setInput] = useState(() => (tool ? JSON.stringify(tool.inputSchema, null, 2) : EMPTY_SCHEMA));
  const [hasOutput, setHasOutput] = useState(tool !== undefined && tool.outputSchema !== null);
  const [output, setOutput] = useState(() =>
    tool?.outputSchema ? JSON.stringify(tool.outputSchema, null, 2) : EMPTY_SCHEMA,
  );
  const [isReading, setReading] = useState(tool?.annotations['readOnlyHint'] === true);
  const [dependencies, setDependencies] = useState<ReadonlySet<string>>(
    () => new Set(tool?.connection_dependencies ?? []),
  );
  const [args, setArgs] = useState('{}');
  const read = { input: objectIn(input), output: hasOutput ? objectIn(output) : null, args: objectIn(args) };
  const isBad = read.input === undefined || read.output === undefined;
  const data = {
    name,
    description: description === '' ? null : description,
    inputSchema: read.input ?? {},
    outputSchema: read.output ?? null,
    annotations: { ...tool?.annotations, readOnlyHint: isReading },
    code,
    connection_dependencies: [...dependencies],
  };
  const keep = useAct(
    () => (tool ? updateVirtualTool(virtual.id, tool.name, data) : createVirtualTool(virtual.id, data)),
    {
      isQuiet: true,
      onDone: ({ item }) => {
        readSoon();
        onKept(item.name);
        toast({ text: `${item.name} is ${tool ? 'changed' : 'made'}; clients have it now.`, tone: 'green' });
      },
    },
  );
  const [tried, setTried] = useState<Awaited<ReturnType<typeof tryVirtualTool>>>();
  const attempt = useAct(
    () => {
      const { name: _name, description: _description, annotations: _hints, ...draft } = data;
      return tryVirtualTool(virtual.id, { ...draft, arguments: read.args ?? {} });
    },
    { onDone: setTried },
  );
  const remove = useAct(
    (stored: VirtualTool) =>
      deleteVirtualTool(virtual.id, stored.name)
        .then(readAgain)
        .then(() => stored),
    {
      onDone: (stored) => {
        onClose();
        toast({
          text: `${stored.name} is deleted; clients do not have it any more.`,
          onUndo: () => createVirtualTool(virtual.id, dataOf(stored)).then(readAgain),
        });
      },
    },
  );
  const canKeep = has(tool ? 'COLLECTION_VIRTUAL_TOOLS_UPDATE' : 'COLLECTION_VIRTUAL_TOOLS_CREATE');
  const canTry = has('COLLECTION_VIRTUAL_TOOLS_CREATE') && has('CODE_EXECUTION_RUN_CODE');
  const run = () => read.args !== undefined && !isBad && attempt.run();
  return (
    <form
      className="stack-l"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBad) keep.run();
      }}
    >
      <div className="row">
        <Button kind="quiet" size="s" icon={<ArrowLeft />} onClick={onClose}>
          All tools in code
        </Button>
      </div>
      <div className="virtual-two">
        <Field label="Name" isRequired hint="Letters, digits, _ and -">
          <Input value={name} onText={setName} maxLength={64} className="mono" />
        </Field>
        <Field label="Description" hint="What a model reads when it chooses a tool">
          <Input value={description} onText={setDescription} maxLength={2000} />
        </Field>
      </div>
      <Field label="Code" hint="An ES module; no network, files or timers. Ctrl Enter runs it.">
        <CodeEditor
          label="Code"
          language="javascript"
          value={code}
          onChange={setCode}
          minLines={14}
          onSubmit={run}
        />
      </Field>
      <Callable described={described} />
      <div className="virtual-two">
        <Field
          label="Arguments, as JSON Schema"
          error={read.input === undefined ? 'Write an object in JSON.' : undefined}
        >
          <CodeEditor
            label="Schema of the arguments"
            language="json"
            value={input}
            onChange={setInput}
            minLines={8}
          />
        </Field>
        {hasOutput && (
          <Field
            label="Result, as JSON Schema"
            error={read.output === undefined ? 'Write an object in JSON.' : undefined}
          >
            <CodeEditor
              label="Schema of the result"
              language="json"
              value={output}
              onChange={setOutput}
              minLines={8}
            />
          </Field>
        )}
      </div>
      <Checkbox
        isChecked={hasOutput}
        onChange={setHasOutput}
        hint="What it returns is held against it, and clients are told."
      >
        Its result has a schema
      </Checkbox>
      <Checkbox
        isChecked={isReading}
        onChange={setReading}
        hint="Clients may then call it without asking; the code is not held to it."
      >
        It only reads
      </Checkbox>
      <Dependencies virtual={virtual} chosen={dependencies} onChange={setDependencies} />
      {canTry && (
        <section className="virtual-trial stack" aria-label="Test run">
          <div className="row">
            <h3 className="grow">Test run</h3>
            <Button
              icon={<Play />}
              isBusy={attempt.isBusy}
              disabled={read.args === undefined || isBad}
              onClick={run}
            >
              Run
            </Button>
          </div>
          <p className="small muted">
            Runs what stands above as you, without storing it. Calls of tools are real, and recorded.
          </p>
          <Field label="Arguments" error={read.args === undefined ? 'Write an object in JSON.' : undefined}>
            <CodeEditor
              label="Arguments of the run"
              language="json"
              value={args}
              onChange={setArgs}
              minLines={3}
              onSubmit={run}
            />
          </Field>
          {tried && <TriedView tried={tried} />}
        </section>
      )}
      {keep.error && <Notice tone="red">{keep.error.message}</Notice>}
      <div className="row-wrap">
        {canKeep && (
          <Button kind="primary" type="submit" isBusy={keep.isBusy} disabled={name === '' || isBad}>
            {tool ? 'Save' : 'Make it'}
          </Button>
        )}
        {tool && has('COLLECTION_VIRTUAL_TOOLS_DELETE') && (
          <Button icon={<Trash2 />} isBusy={remove.isBusy} onClick={() => remove.run(tool)}>
            Delete
          </Button>
        )}
      </div>
    </form>
  );
}

/** What is stored of a tool, to be stored again. */
function dataOf(tool: VirtualTool): object {
  const { name, description, inputSchema, outputSchema, annotations, code, connection_dependencies } = tool;
  return { name, description, inputSchema, outputSchema, annotations, code, connection_dependencies };
}

/** The names that code may call. */
function Callable({ described }: { readonly described: DescribedVirtualMcp }) {
  const names = useMemo(
    () => described.shown.filter(({ connection }) => connection !== null).map(({ name }) => name),
    [described],
  );
  if (names.length === 0)
    return <p className="small muted">The members show no tools that code could call.</p>;
  return (
    <details className="small">
      <summary>{names.length === 1 ? 'One tool' : `${names.length} tools`} that the code can call</summary>
      <p className="virtual-callable mono">{names.slice(0, 300).join('  ')}</p>
    </details>
  );
}

function Dependencies({
  virtual,
  chosen,
  onChange,
}: {
  readonly virtual: VirtualMcp;
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (ids: ReadonlySet<string>) => void;
}) {
  const candidates = useMemberCandidates();
  const members = new Set(virtual.connections.map(({ connection_id }) => connection_id));
  const free = candidates.all.filter(({ id }) => id !== virtual.id && !members.has(id));
  if (free.length === 0 && chosen.size === 0) return null;
  return (
    <details open={chosen.size > 0}>
      <summary>Connections that it calls besides the members ({chosen.size})</summary>
      <div className="virtual-details">
        <NameChooser
          label="Connections that the code calls"
          choices={memberChoices(free)}
          chosen={new Set(free.filter(({ id }) => chosen.has(id)).map(({ label }) => label))}
          onChange={(labels) =>
            onChange(new Set(free.filter(({ label }) => labels.has(label)).map(({ id }) => id)))
          }
        />
      </div>
    </details>
  );
}

/** The object in a text; undefined: it is none. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.fromEntries(Object.entries(value));
  } catch {
    return undefined;
  }
}
