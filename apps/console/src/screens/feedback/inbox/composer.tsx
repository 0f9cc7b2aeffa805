/** Owns writing to a post: a comment for everybody, a note for the team, or the official answer. */
import { X } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { createDrafts } from '../../../api/drafts.ts';
import { request } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { TextArea } from '../../../ui/field.tsx';
import { MOD_KEY } from '../../../ui/kbd.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { refreshFeedback } from '../shared/queries.ts';
import type { Comment, PostDetail } from '../shared/types.ts';
import './composer.css';

/** What is being written. */
export type Voice = 'comment' | 'note' | 'answer';

const VOICES: readonly { readonly id: Voice; readonly label: string; readonly hint: string }[] = [
  { id: 'comment', label: 'Comment', hint: 'Say something that everybody can read' },
  { id: 'note', label: 'Private note', hint: 'Say something that only the team can read' },
  { id: 'answer', label: 'Official answer', hint: 'Answer for the team; it stands on top of the post' },
];

/** What was typed for a post is kept here until it is sent, so that looking at another one loses nothing. */
const drafts = createDrafts<string>();

/** What the box takes; `wanted` moves the keyboard into it with a voice. */
export interface ComposerProps {
  readonly post: PostDetail;
  readonly wanted: { readonly voice: Voice; readonly replyTo?: Comment; readonly at: number } | undefined;
}

/** The box at the bottom of a post. */
export function Composer({ post, wanted }: ComposerProps) {
  const [voice, setVoice] = useState<Voice>('comment');
  const [replyTo, setReplyTo] = useState<Comment>();
  const key = `${post.id} ${voice}`;
  const [text, setText] = useState('');
  const area = useRef<HTMLTextAreaElement>(null);
  const answerNow = post.officialResponse ?? '';
  // The voice, its draft and the caret change as one: no letter comes between them.
  useLayoutEffect(() => {
    setText(drafts.get(key) ?? (voice === 'answer' ? answerNow : ''));
  }, [key, voice, answerNow]);
  useLayoutEffect(() => {
    if (!wanted) return;
    setVoice(wanted.voice);
    setReplyTo(wanted.replyTo);
    area.current?.focus();
  }, [wanted]);

  const type = (next: string) => {
    drafts.set(key, next);
    setText(next);
  };
  const shown = useRef(key);
  shown.current = key;
  const say = useAct(async () => {
    const path = { id: post.id };
    if (voice === 'answer')
      await request('PATCH /api/v1/posts/{id}', { path, body: { officialResponse: text.trim() } });
    else
      await request('POST /api/v1/posts/{id}/comments', {
        path,
        body: { content: text, parentId: replyTo?.id ?? null, isPrivate: voice === 'note' },
      });
    // What was typed meanwhile, here or in another voice, is not what was sent.
    if ((drafts.get(key) ?? text) === text) {
      drafts.delete(key);
      if (shown.current === key) {
        setText('');
        setReplyTo(undefined);
      }
    }
    toast({ text: voice === 'answer' ? 'The official answer is there.' : 'Said.', tone: 'green' });
    await refreshFeedback();
  });
  const isTakingBack = voice === 'answer' && text.trim() === '' && answerNow !== '';
  const canSend = text.trim() !== '' || isTakingBack;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canSend) {
      event.preventDefault();
      say.run();
    }
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      area.current?.blur();
    }
  };
  const hint = VOICES.find(({ id }) => id === voice)?.hint ?? '';
  return (
    <div className={classes('composer', `composer-${voice}`)}>
      <div className="row-wrap">
        <div className="composer-voices" role="radiogroup" aria-label="Who can read it">
          {VOICES.map(({ id, label }) => (
            <button
              key={id}
              type="button"
              role="radio"
              aria-checked={voice === id}
              className={classes('composer-voice', voice === id && 'composer-voice-on')}
              onClick={() => {
                setVoice(id);
                area.current?.focus();
              }}
            >
              {label}
            </button>
          ))}
        </div>
        {replyTo && voice !== 'answer' && (
          <span className="row small muted">
            to <bdi className="truncate composer-to">{replyTo.authorName ?? 'somebody'}</bdi>
            <IconButton
              size="s"
              label="Do not reply to this comment"
              icon={<X />}
              onClick={() => setReplyTo(undefined)}
            />
          </span>
        )}
      </div>
      <TextArea
        ref={area}
        value={text}
        onText={type}
        onKeyDown={onKeyDown}
        placeholder={hint}
        aria-label={hint}
        rows={2}
        maxLength={voice === 'answer' ? 10_000 : 5000}
      />
      <div className="row composer-foot">
        <span className="small faint grow composer-hint">Markdown · {MOD_KEY} Enter sends</span>
        <Button kind="primary" size="s" isBusy={say.isBusy} disabled={!canSend} onClick={say.run}>
          {isTakingBack ? 'Take the answer away' : voice === 'answer' ? 'Answer' : 'Send'}
        </Button>
      </div>
    </div>
  );
}
