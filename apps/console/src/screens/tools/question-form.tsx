/** Owns what a tool asks while it runs: a form per question, and the way to decline. */
import { useMemo, useState } from 'react';
import type { InputRequest, ToolQuestion } from '../../api/call-tool.ts';
import { Button } from '../../ui/button.tsx';
import { Markdown, SafeLink } from '../../ui/markdown.tsx';
import { findProblems } from '../../ui/schema/problems.ts';
import { asSchema, initialOf } from '../../ui/schema/read-schema.ts';
import { SchemaForm } from '../../ui/schema/schema-form.tsx';

/** The questions of one stop; all are answered at once. */
export function QuestionForm({
  question,
  onAnswer,
  onStop,
}: {
  readonly question: ToolQuestion;
  readonly onAnswer: (responses: Readonly<Record<string, unknown>>) => void;
  readonly onStop: () => void;
}) {
  const requests = useMemo(() => Object.entries(question.inputRequests), [question]);
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>(() =>
    Object.fromEntries(requests.map(([key, request]) => [key, firstValue(request)])),
  );
  const [isChecked, setChecked] = useState(false);
  const accept = () => {
    setChecked(true);
    const isWhole = requests.every(
      ([key, { params }]) => findProblems(params?.requestedSchema, values[key]).size === 0,
    );
    if (!isWhole) return;
    onAnswer(
      Object.fromEntries(requests.map(([key]) => [key, { action: 'accept', content: values[key] ?? {} }])),
    );
  };
  const decline = () => onAnswer(Object.fromEntries(requests.map(([key]) => [key, { action: 'decline' }])));
  return (
    <form
      className="tools-question stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        accept();
      }}
    >
      {requests.map(([key, { params }]) => (
        <div key={key} className="stack">
          <Markdown text={params?.message ?? 'The tool asks for more.'} />
          {typeof params?.url === 'string' && <SafeLink href={params.url}>Open the page it names</SafeLink>}
          {params?.requestedSchema !== undefined && (
            <SchemaForm
              schema={params.requestedSchema}
              value={values[key]}
              onChange={(next) => setValues((now) => ({ ...now, [key]: next }))}
              problems={isChecked ? findProblems(params.requestedSchema, values[key]) : undefined}
            />
          )}
        </div>
      ))}
      <div className="row-wrap">
        <Button kind="primary" type="submit">
          Answer
        </Button>
        <Button onClick={decline}>Decline</Button>
        <Button kind="quiet" onClick={onStop}>
          Stop the run
        </Button>
      </div>
    </form>
  );
}

function firstValue({ params }: InputRequest): unknown {
  const schema = asSchema(params?.requestedSchema);
  return initialOf(schema, schema) ?? {};
}
