/** Owns showing an MCP App: its page runs in a frame without an origin, and speaks with the runner by messages alone. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ToolResult } from '../../api/call-tool.ts';
import { request } from '../../api/request.ts';
import type { Tool } from '../../api/schema.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { hostApp } from './app-host.ts';

const FRAME = '/console/app-frame';
const FIRST_HEIGHT_PX = 320;
const MOST_HEIGHT_PX = 1_200;

/** The app of a result: the page it names is read as the person, then shown. */
export function McpApp({
  tool,
  uri,
  args,
  result,
}: {
  readonly tool: Tool;
  readonly uri: string;
  readonly args: unknown;
  readonly result: ToolResult;
}) {
  const embedded = result.content.find(({ resource }) => resource?.uri === uri)?.resource?.text;
  const query = useQuery({
    queryKey: ['connections', 'app', tool.endpoint, uri],
    queryFn: () => request('GET /api/resource', { query: { endpoint: tool.endpoint, uri } }),
    enabled: embedded === undefined,
    retry: false,
  });
  const html = embedded ?? query.data?.contents.find(({ text }) => text !== undefined)?.text;
  if (html !== undefined) return <AppFrame html={html} title={tool.title} args={args} result={result} />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return <Skeleton kind="card" />;
}

function AppFrame({
  html,
  title,
  args,
  result,
}: {
  readonly html: string;
  readonly title: string;
  readonly args: unknown;
  readonly result: ToolResult;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [heightPx, setHeightPx] = useState(FIRST_HEIGHT_PX);
  const [asked, setAsked] = useState<string>();
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    return hostApp(element, {
      html,
      args,
      result,
      onHeight: (px) => setHeightPx(Math.max(80, Math.min(px, MOST_HEIGHT_PX))),
      onLink: setAsked,
    });
  }, [html, args, result]);
  return (
    <div className="tools-app">
      <iframe
        ref={frame}
        src={FRAME}
        title={`App of ${title}`}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        style={{ height: heightPx }}
      />
      {asked !== undefined && (
        <div className="row-wrap small">
          The app wants to open
          <a href={asked} target="_blank" rel="noopener noreferrer" onClick={() => setAsked(undefined)}>
            {asked}
          </a>
        </div>
      )}
    </div>
  );
}
