/** Owns writing a changelog entry: text beside its preview, labels, posts, and when everybody sees it. */
import { useQueries } from '@tanstack/react-query';
import { CalendarClock, Ellipsis, EyeOff, Plus, Send, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { Badge, StateBadge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { DetailPane } from '../../../ui/detail-pane.tsx';
import { ConfirmDelete, Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../../ui/field.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { useIsWide } from '../../../ui/use-media.ts';
import { exactText, When } from '../../../ui/when.tsx';
import { fieldFaults, TOPIC } from '../shared/queries.ts';
import { PostPicker } from './post-picker.tsx';
import type { Entry, Text } from './queries.ts';
import { deleteEntry, drafts, NEW, saveEntry, useEntry } from './queries.ts';

const EMPTY: Text = { title: '', content: '', labels: [], linkedPostIds: [] };
const OFFERED_LABELS = ['New', 'Improved', 'Fixed', 'Removed', 'Security'];
const MOST_LABELS = 5;

function textOf(entry: Entry | undefined): Text {
  if (!entry) return EMPTY;
  const { title, content, labels, linkedPostIds } = entry;
  return { title, content, labels, linkedPostIds };
}

/** The editor beside the list. */
export function Editor({
  id,
  isReadOnly,
  onClose,
  onSaved,
}: {
  readonly id: string;
  readonly isReadOnly: boolean;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}) {
  const query = useEntry(id);
  const entry = query.data;
  const [typed, setTyped] = useState<Text | undefined>(() => drafts.get(id));
  const text = typed ?? textOf(entry);
  const isChanged = typed !== undefined && JSON.stringify(typed) !== JSON.stringify(textOf(entry));
  const change = (part: Partial<Text>) => {
    const next = { ...text, ...part };
    drafts.set(id, next);
    setTyped(next);
  };
  const save = useAct(
    async (words: string, publishedAt?: string | null) => {
      const saved = await saveEntry(id, text, publishedAt);
      toast({ text: words, tone: 'green' });
      return saved;
    },
    {
      isQuiet: true,
      onDone: (saved) => {
        // What was typed meanwhile stays, and goes along where a new entry gets its own place.
        const later = drafts.get(id);
        setTyped(later);
        if (later !== undefined && saved.id !== id) {
          drafts.delete(id);
          drafts.set(saved.id, later);
        }
        onSaved(saved.id);
      },
    },
  );
  const faults = fieldFaults(save.error);
  const rest = save.error && Object.keys(faults).length === 0 ? save.error.message : undefined;
  return (
    <DetailPane
      title={id === NEW ? 'New entry' : <bdi>{entry?.title ?? 'Entry'}</bdi>}
      name={id === NEW ? 'New entry' : entry?.title}
      size="l"
      onClose={onClose}
      query={id === NEW || entry ? undefined : query}
      about={entry && <About entry={entry} isChanged={isChanged} />}
      actions={
        !isReadOnly && (
          <Publishing
            id={id}
            entry={entry}
            isChanged={isChanged}
            save={save.run}
            isBusy={save.isBusy}
            onGone={onClose}
          />
        )
      }
    >
      {isReadOnly ? (
        <Preview text={text} />
      ) : (
        <Form text={text} change={change} faults={faults} rest={rest} />
      )}
    </DetailPane>
  );
}

function About({ entry, isChanged }: { readonly entry: Entry; readonly isChanged: boolean }) {
  return (
    <>
      <StateBadge state={entry.state} />
      {entry.publishedAt !== null && (
        <span>
          {entry.state === 'scheduled' ? 'comes out ' : 'out since '}
          <When at={entry.publishedAt} />
        </span>
      )}
      <span>
        by <bdi>{entry.authorName ?? 'somebody'}</bdi>
      </span>
      {isChanged && <Badge tone="amber">Not saved</Badge>}
    </>
  );
}

/** When everybody sees it. */
function Publishing({
  id,
  entry,
  isChanged,
  save,
  isBusy,
  onGone,
}: {
  readonly id: string;
  readonly entry: Entry | undefined;
  readonly isChanged: boolean;
  readonly save: (words: string, publishedAt?: string | null) => void;
  readonly isBusy: boolean;
  readonly onGone: () => void;
}) {
  const [isPlanning, setPlanning] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const remove = useAct(async () => entry && deleteEntry(entry), { onDone: onGone });
  const isOut = entry?.state === 'published';
  const publishNow = () => save('Everybody can read it now.', new Date().toISOString());
  return (
    <>
      <Button
        isBusy={isBusy}
        disabled={!isChanged && id !== NEW}
        onClick={() => save(isOut ? 'Saved. Everybody reads the new text.' : 'Saved.')}
      >
        {id === NEW ? 'Save draft' : 'Save'}
      </Button>
      {!isOut && (
        <Button kind="primary" icon={<Send />} isBusy={isBusy} onClick={publishNow}>
          Publish
        </Button>
      )}
      <Menu
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        items={[
          ...(isOut
            ? []
            : [{ label: 'Schedule …', icon: <CalendarClock />, onSelect: () => setPlanning(true) }]),
          ...(entry && entry.state !== 'draft'
            ? [
                {
                  label: isOut ? 'Take it back' : 'Do not publish it',
                  hint: 'It becomes a draft again',
                  icon: <EyeOff />,
                  onSelect: () => save('It is a draft again.', null),
                },
              ]
            : []),
          ...(entry
            ? ([
                'separator',
                {
                  label: 'Delete',
                  icon: <Trash2 />,
                  isDanger: true,
                  onSelect: () => (isOut ? setAsking(true) : remove.run()),
                },
              ] as const)
            : []),
        ]}
      />
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={remove.run}
        isBusy={remove.isBusy}
        title={`Delete “${entry?.title ?? ''}”?`}
        gone={['The entry, its page, and every link to it.']}
      />
      {isPlanning && (
        <Plan
          from={entry?.publishedAt ?? null}
          onClose={() => setPlanning(false)}
          onChoose={(at) => {
            setPlanning(false);
            save(`It comes out ${exactText(at)}.`, at);
          }}
        />
      )}
    </>
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A time as the field of browsers has it: local, without a zone. */
function localText(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

function tomorrowAtNine(): Date {
  const day = new Date(Date.now() + DAY_MS);
  day.setHours(9, 0, 0, 0);
  return day;
}

function Plan({
  from,
  onClose,
  onChoose,
}: {
  readonly from: string | null;
  readonly onClose: () => void;
  readonly onChoose: (at: string) => void;
}) {
  const [at, setAt] = useState(localText(from === null ? tomorrowAtNine() : new Date(from)));
  const chosen = new Date(at);
  const isPast = !(chosen.getTime() > Date.now());
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => !isPast && onChoose(chosen.toISOString())}
      title="When does it come out?"
      size="s"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isPast}>
            Schedule
          </Button>
        </>
      }
    >
      <Field
        label="Date and time"
        hint={`In your time zone, ${zone}.`}
        error={isPast && 'Choose a time that has not come yet.'}
      >
        <Input type="datetime-local" value={at} onText={setAt} autoFocus />
      </Field>
    </Dialog>
  );
}

interface FormProps {
  readonly text: Text;
  readonly change: (part: Partial<Text>) => void;
  readonly faults: Readonly<Record<string, string>>;
  readonly rest: string | undefined;
}

function Form({ text, change, faults, rest }: FormProps) {
  const isWide = useIsWide();
  const [tab, setTab] = useState<'write' | 'preview'>('write');
  const area = (
    <Field label="Text" hint="Markdown" error={faults['content'] ?? rest} className="entry-area">
      <TextArea
        value={text.content}
        onText={(content) => change({ content })}
        maxLength={50_000}
        rows={16}
        dir="auto"
        placeholder={'What is new, and why it matters.\n\n- **Dark mode** follows your system\n- …'}
      />
    </Field>
  );
  return (
    <div className="stack">
      <Field label="Title" isRequired error={faults['title']}>
        <Input value={text.title} onText={(title) => change({ title })} maxLength={200} dir="auto" />
      </Field>
      <Labels text={text} change={change} fault={faults['labels']} />
      {isWide ? (
        <div className="entry-split">
          {area}
          <Preview text={text} />
        </div>
      ) : (
        <Tabs
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'write', label: 'Write', content: area },
            { id: 'preview', label: 'Preview', content: <Preview text={text} /> },
          ]}
        />
      )}
      <LinkedPosts text={text} change={change} />
    </div>
  );
}

function Preview({ text }: { readonly text: Text }) {
  return (
    <section className="entry-preview" aria-label="Preview">
      <h3 dir="auto">{text.title === '' ? <span className="faint">Title</span> : text.title}</h3>
      {text.labels.length > 0 && (
        <div className="row-wrap">
          {text.labels.map((label) => (
            <Badge key={label}>{label}</Badge>
          ))}
        </div>
      )}
      <div dir="auto">
        {text.content === '' ? (
          <p className="faint">The text shows here.</p>
        ) : (
          <Markdown text={text.content} />
        )}
      </div>
    </section>
  );
}

function Labels({
  text,
  change,
  fault,
}: Pick<FormProps, 'text' | 'change'> & { readonly fault: string | undefined }) {
  const [own, setOwn] = useState('');
  const { labels } = text;
  const add = (label: string) => {
    const isThere = labels.some((known) => known.toLowerCase() === label.toLowerCase());
    if (label !== '' && !isThere && labels.length < MOST_LABELS) change({ labels: [...labels, label] });
    setOwn('');
  };
  const offered = OFFERED_LABELS.filter((label) => !labels.includes(label));
  return (
    <Field label="Labels" hint="What kind of news it is; up to five." error={fault}>
      <div className="entry-labels">
        {labels.map((label) => (
          <span key={label} className="entry-label">
            <bdi>{label}</bdi>
            <button
              type="button"
              aria-label={`Remove the label ${label}`}
              onClick={() => change({ labels: labels.filter((known) => known !== label) })}
            >
              <X aria-hidden />
            </button>
          </span>
        ))}
        {labels.length < MOST_LABELS && (
          <>
            {offered.map((label) => (
              <Button key={label} size="s" kind="quiet" icon={<Plus />} onClick={() => add(label)}>
                {label}
              </Button>
            ))}
            <Input
              value={own}
              onText={setOwn}
              maxLength={30}
              placeholder="Another"
              aria-label="Another label"
              className="entry-own"
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                add(own.trim());
              }}
              onBlur={() => add(own.trim())}
            />
          </>
        )}
      </div>
    </Field>
  );
}

function LinkedPosts({ text, change }: Pick<FormProps, 'text' | 'change'>) {
  const [isPicking, setPicking] = useState(false);
  const { linkedPostIds } = text;
  const posts = useQueries({
    queries: linkedPostIds.map((id) => ({
      queryKey: [TOPIC, 'post', id],
      queryFn: () => request('GET /api/v1/posts/{id}', { path: { id } }),
    })),
  });
  return (
    <section className="stack">
      <div className="row">
        <h3 className="grow">Posts that it is about</h3>
        <Button size="s" icon={<Plus />} onClick={() => setPicking(true)}>
          Add a post
        </Button>
      </div>
      {linkedPostIds.length === 0 ? (
        <p className="muted small">None. The page of the entry links to those that are public.</p>
      ) : (
        <ul>
          {linkedPostIds.map((id, index) => (
            <li key={id} className="row entry-post">
              <ScreenLink to={`/feedback/inbox/${id}`} className="grow truncate">
                <bdi>{posts[index]?.data?.title ?? 'A post'}</bdi>
              </ScreenLink>
              <IconButton
                size="s"
                label={`Remove ${posts[index]?.data?.title ?? 'the post'}`}
                icon={<X />}
                onClick={() => change({ linkedPostIds: linkedPostIds.filter((known) => known !== id) })}
              />
            </li>
          ))}
        </ul>
      )}
      {isPicking && (
        <PostPicker
          chosen={linkedPostIds}
          onClose={() => setPicking(false)}
          onChoose={(id) => change({ linkedPostIds: [...new Set([...linkedPostIds, id])] })}
        />
      )}
    </section>
  );
}
