/** Owns looking at JSON: a tree that opens by parts, so that ten megabytes do not freeze the page. */
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { classes } from './classes.ts';
import { CopyButton } from './copy-button.tsx';
import './json-view.css';

const OPEN_DEPTH = 2;
const PAGE = 100;
const LONG_TEXT = 600;
const SMALL_BRANCH = 40;

/** Shows a value as a tree; `openDepth` says how deep it starts open. */
export function JsonView({
  value,
  openDepth = OPEN_DEPTH,
  isBare,
}: {
  readonly value: unknown;
  readonly openDepth?: number;
  /** True: no box and no copy button around it. */
  readonly isBare?: boolean;
}) {
  const tree = (
    <ul className="json-tree">
      <Node name={undefined} value={value} depth={0} openDepth={openDepth} />
    </ul>
  );
  if (isBare) return tree;
  return (
    <div className="json-box">
      <div className="code-copy">
        <CopyButton text={() => JSON.stringify(value, null, 2) ?? 'undefined'} label="Copy as JSON" />
      </div>
      <div className="json-scroll" tabIndex={0} role="region" aria-label="JSON">
        {tree}
      </div>
    </div>
  );
}

interface NodeProps {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly depth: number;
  readonly openDepth: number;
}

function Node({ name, value, depth, openDepth }: NodeProps) {
  if (typeof value !== 'object' || value === null) {
    return (
      <li className="json-leaf">
        <Name name={name} />
        <Leaf value={value} />
      </li>
    );
  }
  return <Branch name={name} value={value} depth={depth} openDepth={openDepth} />;
}

function Branch({ name, value, depth, openDepth }: NodeProps & { readonly value: object }) {
  const isList = Array.isArray(value);
  const keys = isList ? undefined : Object.keys(value);
  const size = isList ? value.length : (keys?.length ?? 0);
  const [isOpen, setOpen] = useState(depth < openDepth && (depth === 0 || size <= SMALL_BRANCH));
  const [count, setCount] = useState(PAGE);
  const entry = (index: number): [string, unknown] => {
    const key = keys?.[index] ?? String(index);
    return [key, (value as Record<string, unknown>)[key]]; // A list is read by its indices
  };
  if (size === 0) {
    return (
      <li className="json-leaf">
        <Name name={name} />
        <span className="json-mark">{isList ? '[]' : '{}'}</span>
      </li>
    );
  }
  return (
    <li>
      <button type="button" className="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight className={classes('json-arrow', isOpen && 'json-arrow-open')} aria-hidden />
        <Name name={name} />
        <span className="json-mark">
          {isList ? `[${size}]` : isOpen ? '{' : `{ ${preview(keys ?? [])} }`}
        </span>
      </button>
      {isOpen && (
        <ul className="json-children">
          {Array.from({ length: Math.min(size, count) }, (_none, index) => {
            const [key, child] = entry(index);
            return <Node key={key} name={key} value={child} depth={depth + 1} openDepth={openDepth} />;
          })}
          {size > count && (
            <li>
              <button type="button" className="json-more" onClick={() => setCount(count + PAGE * 10)}>
                Show more ({(size - count).toLocaleString('en')} left)
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function preview(keys: readonly string[]): string {
  const shown = keys.slice(0, 4).join(', ');
  return keys.length > 4 ? `${shown}, …` : shown;
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : <span className="json-name">{name}: </span>;
}

function Leaf({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') return <span className={`json-${typeof value}`}>{String(value)}</span>;
  const isLong = value.length > LONG_TEXT && !isWhole;
  return (
    <span className="json-string">
      {escaped(isLong ? value.slice(0, LONG_TEXT) : value)}
      {isLong && (
        <button type="button" className="json-more" onClick={() => setWhole(true)}>
          … {(value.length - LONG_TEXT).toLocaleString('en')} more characters
        </button>
      )}
    </span>
  );
}

/** As JSON, with the marks of direction written out: unseen they would turn the line around. */
function escaped(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (mark) => `\\u${mark.codePointAt(0)?.toString(16)}`,
  );
}
