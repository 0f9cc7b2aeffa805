/** Owns what agents ask: open questions to answer in place, and what became of earlier ones. */
import { useQuery } from '@tanstack/react-query';
import { MessageCircleQuestion } from 'lucide-react';
import { request } from '../../api/request.ts';
import { OpenQuestion } from '../../ui/agent-question.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';

const MOST = 100;

/** The questions that are open, the newest first. */
export function useOpenQuestions() {
  return useQuery({
    queryKey: ['questions', 'open', MOST],
    queryFn: ({ signal }) =>
      request('GET /api/questions', {
        query: { status: 'open', limit: MOST },
        signal,
      }),
    retry: false,
  });
}

function usePastQuestions() {
  return useQuery({
    queryKey: ['questions', 'all'],
    queryFn: async ({ signal }) => {
      const { questions } = await request('GET /api/questions', { signal });
      return questions.filter(({ status }) => status !== 'open');
    },
  });
}

/** The place of questions. */
export function QuestionsPlace() {
  const open = useOpenQuestions();
  const past = usePastQuestions();
  return (
    <Page title="Questions" description="What agents ask people, and go on with as soon as somebody answers.">
      {open.isPending && <Skeleton rows={4} kind="card" />}
      {open.error !== null && <ErrorState error={open.error} onRetry={() => open.refetch()} />}
      {open.data && open.data.questions.length === 0 && (
        <EmptyState icon={<MessageCircleQuestion />} title="Nothing is asked right now">
          An agent asks with its tool corvid_ask_owner, and its question stands here until its time is over.
        </EmptyState>
      )}
      {open.data && open.data.questions.length > 0 && (
        <Card>
          <ul className="stack-l">
            {open.data.questions.map((question) => (
              <OpenQuestion key={question.id} question={question} />
            ))}
          </ul>
        </Card>
      )}
      {past.data && past.data.length > 0 && (
        <Card title="Before">
          <ul className="agents-list">
            {past.data.map((question) => (
              <li key={question.id}>
                <div className="grow stack">
                  <span className="row-wrap">
                    <strong>{question.agent.name}</strong>
                    <StateBadge
                      state={question.status}
                      tone={question.status === 'answered' ? 'green' : undefined}
                    />
                    <span className="faint">
                      <When at={question.created_at} />
                    </span>
                  </span>
                  <p className="agents-text" dir="auto">
                    {question.question}
                  </p>
                  {question.answer !== null && (
                    <p className="agents-text muted" dir="auto">
                      Answer: {question.answer}
                    </p>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Page>
  );
}
