/** Owns running a tool: the form or the JSON, who runs it, the run and what came of it. */
import { Play, Square } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { createDrafts } from '../../api/drafts.ts';
import type { Tool } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { findProblems } from '../../ui/schema/problems.ts';
import type { Problems } from '../../ui/schema/problems.ts';
import { asSchema, initialOf } from '../../ui/schema/read-schema.ts';
import { SchemaForm } from '../../ui/schema/schema-form.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { useRecorded, useCallers } from './queries.ts';
import { RunView } from './run-view.tsx';
import { SavedRuns } from './saved-runs.tsx';
import { useRun } from './use-run.ts';

const NO_PROBLEMS: Problems = new Map();
const MYSELF = 'myself';

/** What was typed for a tool lasts as long as the tab, so that a look elsewhere loses nothing. */
const drafts = createDrafts<{ readonly args: unknown; readonly json: string | undefined }>();

/** The runner of one tool. */
export function Runner({ tool, screen }: { readonly tool: Tool; readonly screen: ScreenState }) {
  const draftKey = `${tool.endpoint}:${tool.name}`;
  const [{ args, json }, setDraft] = useState(
    () => drafts.get(draftKey) ?? { args: initialArguments(tool), json: undefined },
  );
  const keep = (next: { readonly args: unknown; readonly json: string | undefined }) => {
    drafts.set(draftKey, next);
    setDraft(next);
  };
  const [isChecked, setChecked] = useState(false);
  const [as, setAs] = useState(MYSELF);
  const [isAsking, setAsking] = useState(false);
  const runner = useRun(tool);
  const setJson = (next: string | undefined) => keep({ args, json: next });
  /** Takes arguments, and shows them in the way that is open. */
  const take = (next: unknown) =>
    keep({ args: next, json: json === undefined ? undefined : JSON.stringify(next, null, 2) });
  useRecordedArguments(screen, take);
  const parsed = useMemo(() => (json === undefined ? undefined : parseJson(json)), [json]);
  const current = parsed === undefined ? args : parsed.value;
  const problems = useMemo(
    () => (isChecked ? findProblems(tool.inputSchema, current) : NO_PROBLEMS),
    [isChecked, tool.inputSchema, current],
  );
  const isRunning = runner.run?.state === 'running' || runner.run?.state === 'asking';
  const start = () => {
    if (parsed?.isBroken || isRunning) return;
    setChecked(true);
    const found = findProblems(tool.inputSchema, current);
    if (found.size > 0 && json === undefined) return;
    if (tool.effect === 'delete') setAsking(true);
    else run();
  };
  const run = () => {
    setAsking(false);
    runner.start(current ?? {}, as === MYSELF ? undefined : as);
  };
  const load = (next: unknown) => {
    take(next);
    setChecked(false);
  };
  return (
    <div className="stack-l">
      {tool.description !== '' && <p className="tools-words muted">{firstWords(tool.description)}</p>}
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
        onKeyDown={(event) => {
          // The editor of JSON takes these keys itself.
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
          event.preventDefault();
          start();
        }}
      >
        <div className="row-wrap">
          <div className="tools-mode" role="group" aria-label="How to fill it in">
            <button
              type="button"
              aria-pressed={json === undefined}
              onClick={() => toForm(parsed, (next) => keep({ args: next, json: undefined }))}
            >
              Form
            </button>
            <button
              type="button"
              aria-pressed={json !== undefined}
              onClick={() => setJson(JSON.stringify(current ?? {}, null, 2))}
            >
              JSON
            </button>
          </div>
          <SavedRuns tool={tool} args={current} onLoad={load} />
        </div>
        {json === undefined ? (
          <SchemaForm
            schema={tool.inputSchema}
            value={args}
            onChange={(next) => keep({ args: next, json })}
            problems={problems}
          />
        ) : (
          <>
            <CodeEditor
              label="Arguments as JSON"
              value={json}
              onChange={setJson}
              minLines={8}
              onSubmit={start}
            />
            {parsed?.isBroken && <div className="field-error">{parsed.message}</div>}
          </>
        )}
        <div className="tools-go">
          {isRunning ? (
            <Button icon={<Square />} onClick={runner.stop}>
              Stop
            </Button>
          ) : (
            <Button kind={tool.effect === 'delete' ? 'danger' : 'primary'} type="submit" icon={<Play />}>
              Run
            </Button>
          )}
          <ActAs value={as} onChange={setAs} />
          <span className="tools-key faint small">
            <Kbd keys="mod+Enter" />
          </span>
          {problems.size > 0 && (
            <span className="field-error" role="alert">
              {problems.size === 1 ? 'One field needs care.' : `${problems.size} fields need care.`}
            </span>
          )}
        </div>
      </form>
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={run}
        title={`Run “${tool.title}”?`}
        confirmText="Run"
        keepText="Do not run"
      >
        <p>This tool takes something away. It runs with:</p>
        <JsonView value={current ?? {}} />
      </ConfirmDelete>
      {runner.run && <RunView tool={tool} run={runner.run} onAnswer={runner.answer} onStop={runner.stop} />}
    </div>
  );
}

function initialArguments(tool: Tool): unknown {
  const schema = asSchema(tool.inputSchema);
  return initialOf(schema, schema) ?? {};
}

function toForm(parsed: Parsed | undefined, show: (args: unknown) => void): void {
  if (parsed?.isBroken)
    return toast({ text: 'Mend the JSON first: the form cannot show it.', tone: 'amber' });
  if (parsed) show(parsed.value);
}

interface Parsed {
  readonly value: unknown;
  readonly isBroken: boolean;
  readonly message: string;
}

function parseJson(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return { value, isBroken: !isObject, message: isObject ? '' : 'Arguments are an object: { … }' };
  } catch (error) {
    return {
      value: undefined,
      isBroken: true,
      message: error instanceof Error ? error.message : 'This is no JSON.',
    };
  }
}

const MOST_WORDS = 400;

function firstWords(text: string): string {
  const first = text.split(/\n\s*\n/)[0] ?? '';
  return first.length > MOST_WORDS ? `${first.slice(0, MOST_WORDS)} …` : first;
}

/** A call that the address names fills the form with its arguments, once. */
function useRecordedArguments(screen: ScreenState, onLoad: (args: unknown) => void): void {
  const { call } = screen.search;
  const { data } = useRecorded(call);
  const loaded = useRef<string>(undefined);
  const latest = useRef({ onLoad, screen });
  latest.current = { onLoad, screen };
  useEffect(() => {
    if (data === undefined || call === undefined || loaded.current === call) return;
    loaded.current = call;
    const { value, isBroken } = parseJson(data.input ?? '{}');
    if (isBroken) toast({ text: 'The arguments of this call were not recorded whole.', tone: 'amber' });
    else latest.current.onLoad(value);
    latest.current.screen.setSearch({ call: undefined }, { isReplaced: true });
  }, [data, call]);
}

function ActAs({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const { data: callers = [] } = useCallers();
  if (callers.length === 0) return null;
  const options = callers.map(({ id, name, kind }) => ({ value: id, label: name, hint: kind }));
  return (
    <Select
      label="Run as"
      value={value}
      onChange={onChange}
      options={[{ value: MYSELF, label: 'as myself' }, ...options]}
    />
  );
}
