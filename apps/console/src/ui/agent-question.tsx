/** Owns answering one question of an agent: its options as buttons, own words, or no answer at all. */
import { useState } from 'react';
import { request } from '../api/request.ts';
import type { BodyOf } from '../api/request.ts';
import type { Question } from '../api/schema.ts';
import { queryClient } from '../api/query.ts';
import { useAct } from '../api/use-act.ts';
import './agent-question.css';
import { Avatar } from './avatar.tsx';
import { Button } from './button.tsx';
import { Input } from './field.tsx';
import { Markdown } from './markdown.tsx';
import { toast } from './toast-store.ts';
import { When } from './when.tsx';

type Answer = BodyOf<'POST /api/questions/{id}/answer'>;

/** An open question, as an entry of a list. */
export function OpenQuestion({ question }: { readonly question: Question }) {
  const [text, setText] = useState('');
  const act = useAct(
    async (answer: Answer) => {
      await request('POST /api/questions/{id}/answer', { path: { id: question.id }, body: answer });
      await queryClient.invalidateQueries({ queryKey: ['questions'] });
      await queryClient.invalidateQueries({ queryKey: ['counts'] });
    },
    { onDone: () => toast({ text: `${question.agent.name} has your answer.`, tone: 'green' }) },
  );
  return (
    <li className="question">
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
