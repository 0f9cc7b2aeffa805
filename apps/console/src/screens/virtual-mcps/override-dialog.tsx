/** Owns what is shown of one tool otherwise than its server says: words, a stricter hint, arguments, a budget. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Select } from '../../ui/select.tsx';
import { useDefinitions } from '../connections/queries.ts';
import type { Hint, ToolOverride } from './types.ts';

export interface OverrideDialogProps {
  readonly connectionId: string;
  readonly tool: string;
  readonly override: ToolOverride | undefined;
  readonly canChange: boolean;
  readonly onClose: () => void;
  /** Undefined: nothing is overridden. */
  readonly onKeep: (override: ToolOverride | undefined) => void;
}

const HINTS: readonly { readonly value: Hint | 'none'; readonly label: string }[] = [
  { value: 'none', label: 'As its server says' },
  { value: 'readOnlyHint', label: 'Not read-only' },
  { value: 'destructiveHint', label: 'Destructive' },
  { value: 'idempotentHint', label: 'Not idempotent' },
  { value: 'openWorldHint', label: 'Reaches outside' },
];

export function OverrideDialog({
  connectionId,
  tool,
  override = {},
  canChange,
  onClose,
  onKeep,
}: OverrideDialogProps) {
  const query = useDefinitions(connectionId);
  const definition = query.data?.definitions.find((each) => each.tool === tool)?.definition;
  const [title, setTitle] = useState(override.title ?? '');
  const [description, setDescription] = useState(override.description ?? '');
  const [stricter, setStricter] = useState<Hint | 'none'>(override.stricter ?? 'none');
  const [defaults, setDefaults] = useState(() => jsonText(override.defaults));
  const [fixed, setFixed] = useState(() => jsonText(override.fixed));
  const [budget, setBudget] = useState(
    override.resultBudget === undefined ? '' : String(override.resultBudget),
  );
  const read = { defaults: objectIn(defaults), fixed: objectIn(fixed) };
  const isBudgetBad = budget !== '' && !(Number(budget) >= 1000);
  const isBad = read.defaults === false || read.fixed === false || isBudgetBad;
  const keep = () => {
    if (isBad) return;
    const next: ToolOverride = {
      ...(title !== '' && { title }),
      ...(description !== '' && { description }),
      ...(stricter !== 'none' && { stricter }),
      ...(read.defaults && { defaults: read.defaults }),
      ...(read.fixed && { fixed: read.fixed }),
      ...(budget !== '' && { resultBudget: Number(budget) }),
    };
    onKeep(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={keep}
      size="l"
      title={
        <>
          Override <span className="mono virtual-isolated">{tool}</span>
        </>
      }
      description="Nothing can be made looser than its server says. It is stored with the member."
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          {canChange && (
            <>
              <Button onClick={() => onKeep(undefined)}>Remove the override</Button>
              <Button kind="primary" type="submit" disabled={isBad}>
                Use it
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="stack">
        <div className="virtual-two">
          <Field
            label="Title"
            hint={
              definition?.title === undefined ? 'Its server gives none' : `Its server: ${definition.title}`
            }
          >
            <Input value={title} onText={setTitle} maxLength={255} disabled={!canChange} />
          </Field>
          <Field label="Hint">
            <Select value={stricter} onChange={setStricter} options={HINTS} isDisabled={!canChange} />
          </Field>
        </div>
        <Field
          label="Description"
          hint={<span className="virtual-hint">Its server: {definition?.description ?? 'nothing'}</span>}
        >
          <TextArea
            value={description}
            onText={setDescription}
            maxLength={10_000}
            rows={3}
            disabled={!canChange}
          />
        </Field>
        <div className="virtual-two">
          <Field
            label="Default arguments"
            hint="Hold where a call brings none"
            error={read.defaults === false ? 'Write an object in JSON.' : undefined}
          >
            <CodeEditor
              label="Default arguments"
              language="json"
              value={defaults}
              onChange={setDefaults}
              minLines={4}
              isReadOnly={!canChange}
            />
          </Field>
          <Field
            label="Fixed arguments"
            hint="Always hold, and no caller sees them"
            error={read.fixed === false ? 'Write an object in JSON.' : undefined}
          >
            <CodeEditor
              label="Fixed arguments"
              language="json"
              value={fixed}
              onChange={setFixed}
              minLines={4}
              isReadOnly={!canChange}
            />
          </Field>
        </div>
        <Field
          label="Text of a result"
          hint="Characters; what is over is kept for 24 h as a resource. Empty: all of it"
          error={isBudgetBad ? 'At least 1,000 characters.' : undefined}
        >
          <Input type="number" min={1000} value={budget} onText={setBudget} disabled={!canChange} />
        </Field>
        {definition && (
          <details>
            <summary>Arguments that it takes</summary>
            <JsonView value={definition.inputSchema} openDepth={3} />
          </details>
        )}
      </div>
    </Dialog>
  );
}

function jsonText(value: object | undefined): string {
  return JSON.stringify(value ?? {}, null, 2);
}

/** The object; undefined: nothing was written, or nothing in it; false: it is none. */
function objectIn(text: string): Record<string, unknown> | undefined | false {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  } catch {
    return false;
  }
}
