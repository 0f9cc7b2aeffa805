/** Owns text that is code: shown as it is, with a button that copies it. */
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import './code-block.css';
import { CopyButton } from './copy-button.tsx';

/** What a block of code takes. */
export interface CodeBlockProps {
  readonly text: string;
  /** What the file or the language is called, above the code. */
  readonly title?: ReactNode;
  readonly isWrapped?: boolean;
  /** True: at most 320 px high, then it scrolls. */
  readonly isShort?: boolean;
  readonly onCopied?: () => void;
}

/** Shows code with a copy button. */
export function CodeBlock({ text, title, isWrapped, isShort, onCopied }: CodeBlockProps) {
  return (
    <figure className="code-block">
      {title !== undefined && <figcaption className="code-title">{title}</figcaption>}
      <div className="code-copy">
        <CopyButton text={text} onCopied={onCopied} />
      </div>
      {/* A place that scrolls must be reachable by keyboard. */}
      <pre
        className={classes('code-text', isWrapped && 'code-wrapped', isShort && 'code-short')}
        tabIndex={0}
        role="region"
        aria-label={typeof title === 'string' ? title : 'Code'}
      >
        <code>{text}</code>
      </pre>
    </figure>
  );
}
