/** Owns the answer to why a tool is not in the list of the person who looks for it. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { Badge } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Where it is looked for: what stands after `/mcp/`, or everywhere. */
export function WhyMissing({
  tool,
  endpoint,
}: {
  readonly tool: string;
  readonly endpoint?: string | undefined;
}) {
  const { data } = useQuery({
    queryKey: ['connections', 'missing', endpoint, tool],
    queryFn: ({ signal }) => request('GET /api/tools/missing', { query: { tool, endpoint }, signal }),
    retry: false,
  });
  if (data === undefined || data.reason === 'there') return null;
  return (
    <Notice tone="amber">
      <Badge tone="amber">{data.reason}</Badge> <code>{tool}</code> is missing. {data.text}
    </Notice>
  );
}
