/** Owns showing text that people and tools wrote: the only place that turns marks into elements, and never into HTML. */
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { readBlocks } from './markdown-blocks.ts';
import type { Block } from './markdown-blocks.ts';
import { readMarks } from './markdown-marks.ts';
import type { Mark } from './markdown-marks.ts';
import './markdown.css';

const MOST_CHARACTERS = 200_000;
/** Marks that turn the order of letters around: "gpj.exe" would show as "exe.jpg". */
const OVERRIDES = /[\u202D\u202E]/g;

/** Shows markdown. HTML in it is text. */
export function Markdown({ text, isInline }: { readonly text: string; readonly isInline?: boolean }) {
  const shown = (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text).replace(
    OVERRIDES,
    '\uFFFD',
  );
  const blocks = useMemo(() => (isInline ? [] : readBlocks(shown)), [shown, isInline]);
  if (isInline) return <span className="markdown-inline">{showMarks(readMarks(shown))}</span>;
  return <div className="markdown">{blocks.map(showBlock)}</div>;
}

function showBlock(block: Block, index: number): ReactNode {
  switch (block.kind) {
    case 'heading':
      return (
        <p
          key={index}
          className={`markdown-heading markdown-heading-${Math.min(block.level, 3)}`}
          role="heading"
          aria-level={Math.min(block.level + 2, 6)}
        >
          {showMarks(readMarks(block.text))}
        </p>
      );
    case 'paragraph':
      return <p key={index}>{showMarks(readMarks(block.text))}</p>;
    case 'code':
      return (
        <pre key={index} className="markdown-code" tabIndex={0} role="region" aria-label="Code">
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return <blockquote key={index}>{block.blocks.map(showBlock)}</blockquote>;
    case 'rule':
      return <hr key={index} />;
    case 'list':
      return showList(block, index);
    case 'table':
      return showTable(block, index);
    default:
      return block satisfies never;
  }
}

function showList(block: Extract<Block, { kind: 'list' }>, index: number): ReactNode {
  const items = block.items.map((item, at) => (
    <li key={at} className={item.isDone === undefined ? undefined : 'markdown-task'}>
      {item.isDone !== undefined && (
        <span aria-label={item.isDone ? 'done' : 'open'}>{item.isDone ? '☑' : '☐'}</span>
      )}
      {item.blocks.map((inner, innerAt) =>
        inner.kind === 'paragraph' ? (
          <span key={innerAt}>{showMarks(readMarks(inner.text))}</span>
        ) : (
          showBlock(inner, innerAt)
        ),
      )}
    </li>
  ));
  if (block.isOrdered) {
    return (
      <ol key={index} start={block.start}>
        {items}
      </ol>
    );
  }
  return <ul key={index}>{items}</ul>;
}

function showTable(block: Extract<Block, { kind: 'table' }>, index: number): ReactNode {
  return (
    <div key={index} className="markdown-table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {block.head.map((cell, at) => (
              <th key={at}>{showMarks(readMarks(cell))}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, rowAt) => (
            <tr key={rowAt}>
              {row.map((cell, at) => (
                <td key={at}>{showMarks(readMarks(cell))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function showMarks(marks: readonly Mark[]): ReactNode {
  return marks.map((mark, index) => {
    switch (mark.kind) {
      case 'text':
        return mark.text;
      case 'break':
        return <br key={index} />;
      case 'code':
        return <code key={index}>{mark.text}</code>;
      case 'strong':
        return <strong key={index}>{showMarks(mark.marks)}</strong>;
      case 'emphasis':
        return <em key={index}>{showMarks(mark.marks)}</em>;
      case 'struck':
        return <del key={index}>{showMarks(mark.marks)}</del>;
      case 'link':
        return (
          <SafeLink key={index} href={mark.href}>
            {showMarks(mark.marks)}
          </SafeLink>
        );
      case 'image':
        return (
          <SafeLink key={index} href={mark.href}>
            {mark.alt || 'picture'}
          </SafeLink>
        );
      default:
        return mark satisfies never;
    }
  });
}

/** A link from text that others wrote: only to the web or by mail, with its host shown, telling the page nothing of us. */
export function SafeLink({ href, children }: { readonly href: string; readonly children?: ReactNode }) {
  const address = safeAddress(href);
  if (!address) return <span>{children ?? href}</span>;
  const host = address.protocol === 'mailto:' ? '' : address.host;
  return (
    <a href={address.href} target="_blank" rel="noopener noreferrer">
      {children ?? address.href}
      {host !== '' && !isAddressAt(host, children) && <span className="link-host"> ({host})</span>}
    </a>
  );
}

const PLAIN_ADDRESS = /^(?:https?:\/\/)?([a-z\d.-]+(?::\d+)?)(?:[/?#][!-~]*)?$/i;

/** Whether what a link shows is an address of this very host; words that only hold its name say nothing. */
function isAddressAt(host: string, children: ReactNode): boolean {
  if (children === undefined || children === null) return true;
  const [text] = Array.isArray(children) && children.length === 1 ? children : [children];
  if (typeof text !== 'string') return false;
  // Written plainly: what stands before an @, or letters that only look so, may not pass for a host.
  const [, said] = PLAIN_ADDRESS.exec(text) ?? [];
  return said?.toLowerCase() === host;
}

function safeAddress(href: string): URL | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return undefined;
  return new URL(href);
}
