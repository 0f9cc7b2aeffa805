/** Owns copying, and ids that are shown short and copied whole. */
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { detach } from '../detach.ts';
import { Button, IconButton } from './button.tsx';
import type { ButtonKind } from './button.tsx';
import './copy-button.css';
import { toast } from './toast-store.ts';

const SHOWN_MS = 1_500;

/** Copies a text and says so; `onCopied` is told where more must happen. */
export function CopyButton({
  text,
  label = 'Copy',
  children,
  kind,
  onCopied,
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  /** Given: a button with words instead of a picture. */
  readonly children?: string;
  readonly kind?: ButtonKind;
  readonly onCopied?: () => void;
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    const work = copyText(typeof text === 'function' ? text() : text).then(() => {
      setCopied(true);
      onCopied?.();
    });
    detach(work, () =>
      toast({ text: 'The browser did not allow copying; select the text instead.', tone: 'amber' }),
    );
  };
  const icon = isCopied ? <Check className="copied" /> : <Copy />;
  if (children !== undefined) {
    return (
      <Button size="s" kind={kind} icon={icon} onClick={copy}>
        {isCopied ? 'Copied' : children}
      </Button>
    );
  }
  return <IconButton size="s" kind={kind} label={isCopied ? 'Copied' : label} icon={icon} onClick={copy} />;
}

/** Copies also where the page is not on https, where the clipboard is closed to scripts. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone) throw new Error('The browser did not copy.');
}

const SHOWN_CHARACTERS = 6;

/** An id, shortened to its kind and its last letters; a click copies all of it. */
export function ShortId({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const cut = id.indexOf('_');
  const kind = cut > 0 && cut < 8 ? id.slice(0, cut + 1) : '';
  const rest = id.slice(kind.length);
  const short = rest.length <= SHOWN_CHARACTERS + 2 ? id : `${kind}…${rest.slice(-SHOWN_CHARACTERS)}`;
  return (
    <button
      type="button"
      className="short-id mono"
      title={`${id}: click to copy`}
      aria-label={`${short}: copy the id`}
      onClick={(event) => {
        event.stopPropagation();
        detach(
          copyText(id).then(() => setCopied(true)),
          () => toast({ text: `The browser did not allow copying. The id is ${id}`, tone: 'amber' }),
        );
      }}
    >
      {isCopied ? 'copied' : short}
    </button>
  );
}
