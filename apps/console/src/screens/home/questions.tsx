/** Owns answering agents on Home: the newest of what they ask. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { OpenQuestion } from '../../ui/agent-question.tsx';
import { Card } from '../../ui/card.tsx';

const MOST = 5;

/** The questions that are open, the newest first. */
export function Questions() {
  const { data } = useQuery({
    queryKey: ['questions', 'open', MOST],
    queryFn: () => request('GET /api/questions', { query: { status: 'open', limit: MOST } }),
  });
  if (!data || data.questions.length === 0) return null;
  return (
    <Card title="Agents ask you">
      <ul className="stack-l">
        {data.questions.map((question) => (
          <OpenQuestion key={question.id} question={question} />
        ))}
      </ul>
    </Card>
  );
}
