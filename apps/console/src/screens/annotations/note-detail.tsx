/** Owns one note: what was said, where, the picture, the proposed diff, the thread, and what a person does with it. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Markdown, SafeLink } from '../../ui/markdown.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import { When } from '../../ui/when.tsx';
import { SourceLine } from './editor-link.tsx';
import { ProposedDiff } from './proposed-diff.tsx';
import { isClosed, pictureOf, reply, useNote } from './queries.ts';
import { useClosing } from './use-closing.ts';
import type { Annotation } from '../../api/schema.ts';

export function NoteDetail({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useNote(id);
  const note = query.data?.annotation;
  const client = useQueryClient();
  const reread = () => detach(client.invalidateQueries({ queryKey: ['annotations'] }), reportError);
  const { open, done, away } = useClosing(id);
  const isOpen = note !== undefined && !isClosed(note);
  useKeys(isOpen ? { r: () => done.run(), d: () => away.run() } : {});
  return (
    <DetailPane
      title={note === undefined ? 'Note' : `Note ${note.number}`}
      about={note && <About note={note} />}
      query={query}
      onClose={onClose}
      actions={
        note &&
        (isOpen ? (
          <>
            <Button kind="primary" isBusy={done.isBusy} onClick={() => done.run()}>
              Resolve
            </Button>
            <Button isBusy={away.isBusy} onClick={() => away.run()}>
              Dismiss
            </Button>
          </>
        ) : (
          <Button isBusy={open.isBusy} onClick={() => open.run()}>
            Reopen
          </Button>
        ))
      }
      footer={note && <ReplyBox id={id} onSent={reread} />}
    >
      {note && (
        <div className="stack annotations-detail">
          <p className="annotations-said" dir="auto">
            {note.annotationText}
          </p>
          {note.screenshot && (
            <a href={pictureOf(id)} target="_blank" rel="noopener noreferrer">
              <img
                className="annotations-picture"
                src={pictureOf(id)}
                alt={`The place on the page: ${note.element}`}
                width={note.screenshot.width}
                height={note.screenshot.height}
              />
            </a>
          )}
          <Place note={note} markdown={query.data?.markdown ?? ''} />
          {note.diff !== undefined && <ProposedDiff note={note} onAnswered={reread} />}
          <Thread note={note} />
        </div>
      )}
    </DetailPane>
  );
}

function About({ note }: { readonly note: Annotation }) {
  return (
    <>
      <StateBadge state={note.status} />
      <span>{note.intent}</span>
      <span>{note.severity}</span>
      <When at={note.createdAt} />
    </>
  );
}

function Place({ note, markdown }: { readonly note: Annotation; readonly markdown: string }) {
  return (
    <>
      <Facts
        facts={[
          [
            'Page',
            <SafeLink key="page" href={note.url}>
              {note.title || note.url}
            </SafeLink>,
          ],
          note.componentName !== undefined && [
            'Component',
            <code key="component">{note.componentName}</code>,
          ],
          note.sourceFile !== undefined && [
            'Source',
            <SourceLine key="source" place={note.sourceFile} url={note.url} />,
          ],
          ['Element', <code key="element">{note.selector}</code>],
          note.selectionText !== undefined && ['Selected', <q key="selected">{note.selectionText}</q>],
          note.acknowledgedBy !== undefined && ['Taken up by', note.acknowledgedBy.name],
        ]}
      />
      <div className="row-wrap">
        <CopyButton text={markdown}>Copy as markdown</CopyButton>
      </div>
    </>
  );
}

function Thread({ note }: { readonly note: Annotation }) {
  if (note.replies.length === 0) return <p className="muted">Nobody has answered yet.</p>;
  return (
    <ol className="annotations-thread">
      {note.replies.map((said) => {
        const name = said.authorName ?? (said.author === 'agent' ? 'Agent' : 'Person on the page');
        return (
          <li key={said.id}>
            <Avatar name={name} />
            <div className="grow stack">
              <span className="row-wrap">
                <strong>{name}</strong>
                <span className="faint">
                  <When at={said.createdAt} />
                </span>
              </span>
              <Markdown text={said.message} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function ReplyBox({ id, onSent }: { readonly id: string; readonly onSent: () => void }) {
  const [text, setText] = useState('');
  const say = async (message: string) => {
    await reply(id, message);
    return message;
  };
  const send = useAct(say, {
    onDone(sent) {
      // What was typed meanwhile is not what was sent.
      setText((now) => (now === sent ? '' : now));
      onSent();
    },
  });
  const submit = () => {
    if (text.trim() !== '') send.run(text);
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label="Reply" isLabelHidden>
        <TextArea
          value={text}
          dir="auto"
          onText={setText}
          placeholder="Say something to whoever works on it"
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
          }}
        />
      </Field>
      <div className="row">
        <span className="grow faint">Ctrl Enter sends</span>
        <Button kind="primary" type="submit" isBusy={send.isBusy} disabled={text.trim() === ''}>
          Send
        </Button>
      </div>
    </form>
  );
}
