/** Owns answering agents on Home: what they ask, with their options as buttons. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, post } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import { useAct } from '../../api/use-act.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Input } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';

interface Question {
  readonly id: string;
  readonly agent: { readonly name: string };
  readonly question: string;
  readonly options: readonly string[] | null;
  readonly context: string | null;
  readonly deadline: string;
}

interface Answer {
  readonly answer?: string;
  readonly option_index?: number;
  readonly decline?: true;
}

const MOST = 5;

/** The questions that are open, the newest first. */
export function Questions() {
  const { data } = useQuery({
    queryKey: ['questions', 'open'],
    queryFn: () =>
      get<{ questions: Question[] }>('/api/questions', { query: { status: 'open', limit: MOST } }),
  });
  if (!data || data.questions.length === 0) return null;
  return (
    <Card title="Agents ask you">
      <ul className="stack-l">
        {data.questions.map((question) => (
          <OneQuestion key={question.id} question={question} />
        ))}
      </ul>
    </Card>
  );
}

function OneQuestion({ question }: { readonly question: Question }) {
  const [text, setText] = useState('');
  const act = useAct(
    async (answer: Answer) => {
      await post(`/api/questions/${question.id}/answer`, answer);
      await queryClient.invalidateQueries({ queryKey: ['questions'] });
      await queryClient.invalidateQueries({ queryKey: ['counts'] });
    },
    { onDone: () => toast({ text: `${question.agent.name} has your answer.`, tone: 'green' }) },
  );
  return (
    <li className="home-change">
      <Avatar name={question.agent.name} size="s" />
      <div className="grow stack">
        <div>
          <span className="strong">{question.agent.name}</span>
          <span className="small faint">
            {' '}
            answer <When at={question.deadline} />
          </span>
          <Markdown text={question.question} />
          {question.context !== null && (
            <div className="small muted">
              <Markdown text={question.context} />
            </div>
          )}
        </div>
        {question.options && question.options.length > 0 && (
          <div className="row-wrap">
            {question.options.map((option, index) => (
              <Button
                key={option}
                size="s"
                isBusy={act.isBusy}
                onClick={() => act.run({ option_index: index + 1 })}
              >
                {option}
              </Button>
            ))}
          </div>
        )}
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') act.run({ answer: text.trim() });
          }}
        >
          <Input
            value={text}
            onText={setText}
            placeholder="In your own words"
            aria-label="Your answer"
            maxLength={8_000}
          />
          <Button type="submit" isBusy={act.isBusy} disabled={text.trim() === ''}>
            Answer
          </Button>
          <Button kind="quiet" disabled={act.isBusy} onClick={() => act.run({ decline: true })}>
            Decline
          </Button>
        </form>
      </div>
    </li>
  );
}
