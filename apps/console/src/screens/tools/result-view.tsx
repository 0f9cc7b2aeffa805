/** Owns showing a result as what it is: text, JSON, a table, a picture, a sound, a file, an app. */
import { useMemo, useState } from 'react';
import type { ContentBlock, ToolResult } from '../../api/call-tool.ts';
import type { Tool } from '../../api/schema.ts';
import { Badge } from '../../ui/badge.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown, SafeLink } from '../../ui/markdown.tsx';
import { McpApp } from './mcp-app.tsx';
import { ResultTable, findTable } from './result-table.tsx';

const MOST_TEXT = 50_000;

/** The whole result. Text that only repeats the structured answer is left out. */
export function ResultView({
  tool,
  result,
  args,
}: {
  readonly tool: Tool;
  readonly result: ToolResult;
  readonly args: unknown;
}) {
  const structured = result.structuredContent ?? undefined;
  const blocks = useMemo(
    () => result.content.filter((block) => !repeats(block, structured)),
    [result.content, structured],
  );
  const appUri = appOf(result, tool);
  return (
    <div className="stack">
      {appUri !== undefined && <McpApp tool={tool} uri={appUri} args={args} result={result} />}
      {blocks
        .filter((block) => block.resource?.uri === undefined || block.resource.uri !== appUri)
        .map((block, index) => (
          <Block key={index} block={block} />
        ))}
      {structured !== undefined && <Structured value={structured} />}
      {blocks.length === 0 && structured === undefined && <p className="muted">It answered with nothing.</p>}
    </div>
  );
}

/** An app that the tool declares, or that came with the result. */
function appOf(result: ToolResult, tool: Tool): string | undefined {
  const embedded = result.content.find(({ resource }) => resource?.uri.startsWith('ui://') === true);
  return tool.app ?? embedded?.resource?.uri;
}

function repeats(block: ContentBlock, structured: unknown): boolean {
  if (structured === undefined || block.type !== 'text' || block.text === undefined) return false;
  return block.text === JSON.stringify(structured) || block.text === JSON.stringify(structured, null, 2);
}

function Structured({ value }: { readonly value: unknown }) {
  const table = useMemo(() => findTable(value), [value]);
  const [isTable, setTable] = useState(true);
  if (!table) return <JsonView value={value} />;
  return (
    <div className="stack">
      <div className="tools-mode" role="group" aria-label="How to show it">
        <button type="button" aria-pressed={isTable} onClick={() => setTable(true)}>
          Table
        </button>
        <button type="button" aria-pressed={!isTable} onClick={() => setTable(false)}>
          JSON
        </button>
      </div>
      {isTable ? <ResultTable table={table} /> : <JsonView value={value} />}
    </div>
  );
}

function Block({ block }: { readonly block: ContentBlock }) {
  switch (block.type) {
    case 'text':
      return <TextBlock text={block.text ?? ''} />;
    case 'image':
      return <Picture data={block.data ?? ''} type={block.mimeType ?? ''} />;
    case 'audio':
      return <Sound data={block.data ?? ''} type={block.mimeType ?? ''} />;
    case 'resource_link':
      return (
        <div className="row-wrap">
          <Badge>link</Badge>
          <SafeLink href={block.uri ?? ''}>{block.name ?? block.uri}</SafeLink>
          <code className="faint">{block.uri}</code>
        </div>
      );
    case 'resource':
      return <Resource resource={block.resource} />;
    default:
      return <JsonView value={block} />;
  }
}

function TextBlock({ text }: { readonly text: string }) {
  const [isPlain, setPlain] = useState(false);
  const json = useMemo(() => parseObject(text), [text]);
  if (json !== undefined) return <JsonView value={json} />;
  if (text.length > MOST_TEXT) return <LongText text={text} />;
  return (
    <div className="tools-text">
      {isPlain ? <pre className="tools-plain">{text}</pre> : <Markdown text={text} />}
      <button type="button" className="json-more small" onClick={() => setPlain(!isPlain)}>
        {isPlain ? 'Show it as it looks' : 'Show it as it is written'}
      </button>
    </div>
  );
}

function parseObject(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Ten megabytes in one element would hold the page up. */
function LongText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(MOST_TEXT);
  const download = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = 'result.txt';
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return (
    <div className="stack">
      <pre className="tools-plain tools-long" tabIndex={0} role="region" aria-label="Text">
        {text.slice(0, shown)}
      </pre>
      <div className="row-wrap small muted">
        {text.length.toLocaleString('en')} characters
        {shown < text.length && (
          <button type="button" className="json-more" onClick={() => setShown(shown + MOST_TEXT)}>
            Show more
          </button>
        )}
        <button type="button" className="json-more" onClick={download}>
          Download
        </button>
      </div>
    </div>
  );
}

const PICTURES = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const SOUNDS = /^audio\/[\w.+-]{1,60}$/;

function Picture({ data, type }: { readonly data: string; readonly type: string }) {
  // An SVG can hold scripts; as data: in an image it cannot run them, but it is not needed either.
  if (!PICTURES.test(type)) return <JsonView value={{ type, data }} />;
  return <img className="tools-picture" src={`data:${type};base64,${data}`} alt="What the tool made" />;
}

function Sound({ data, type }: { readonly data: string; readonly type: string }) {
  if (!SOUNDS.test(type)) return <JsonView value={{ type, data }} />;
  const text = `data:${type};base64,${data}`;
  return (
    <a href={text} download="sound" className="button button-plain button-m">
      Download the sound
    </a>
  );
}

function Resource({ resource }: { readonly resource: ContentBlock['resource'] }) {
  if (!resource) return null;
  return (
    <div className="stack">
      <div className="row-wrap">
        <Badge>resource</Badge>
        <code>{resource.uri}</code>
        {resource.mimeType !== undefined && <span className="faint">{resource.mimeType}</span>}
      </div>
      {resource.text === undefined ? (
        resource.blob !== undefined && PICTURES.test(resource.mimeType ?? '') ? (
          <Picture data={resource.blob} type={resource.mimeType ?? ''} />
        ) : (
          <span className="muted">
            {(resource.blob?.length ?? 0).toLocaleString('en')} characters of base64
          </span>
        )
      ) : (
        <TextBlock text={resource.text} />
      )}
    </div>
  );
}
