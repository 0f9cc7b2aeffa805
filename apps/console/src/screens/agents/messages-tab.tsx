/** Owns what an agent said and was told: threads, what waits in its inbox, a message to another agent. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowRight, MessagesSquare, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { Agent, LoggedMessage } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';
import { callAs, useAgents } from './queries.ts';

const PAGE = 50;

function useMessages(id: string) {
  return useInfiniteQuery({
    queryKey: ['agents', 'messages', id],
    queryFn: ({ pageParam, signal }) =>
      request('GET /api/agents/{id}/messages', {
        path: { id },
        query: { limit: PAGE, before: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page begins at the newest
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.id),
  });
}

export function MessagesTab({ agent }: { readonly agent: Agent }) {
  const query = useMessages(agent.id);
  const [isWriting, setWriting] = useState(false);
  const threads = useMemo(() => threadsOf(query.data?.pages.flat() ?? []), [query.data]);
  const write = (
    <Button icon={<Plus />} onClick={() => setWriting(true)}>
      New message
    </Button>
  );
  return (
    <div className="stack agents-part">
      {query.isPending && <Skeleton rows={4} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && threads.length === 0 && (
        <EmptyState icon={<MessagesSquare />} title="No messages" action={write}>
          What agents ask each other stands here, with the replies.
        </EmptyState>
      )}
      {threads.length > 0 && <div>{write}</div>}
      {threads.map((messages) => (
        <section key={messages[0]?.thread} className="agents-box agents-thread" aria-label="Thread">
          <ul className="stack">
            {messages.map((message) => (
              <MessageEntry key={message.id} agent={agent} message={message} />
            ))}
          </ul>
        </section>
      ))}
      {query.hasNextPage && (
        <div>
          <Button isBusy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            Older messages
          </Button>
        </div>
      )}
      {isWriting && <WriteMessage agent={agent} onClose={() => setWriting(false)} />}
    </div>
  );
}

/** Messages by thread, the one with the newest first; in a thread they stand as they were said. */
function threadsOf(messages: readonly LoggedMessage[]): readonly (readonly LoggedMessage[])[] {
  const threads = Map.groupBy(messages, ({ thread }) => thread);
  return [...threads.values()].map((thread) => thread.toReversed());
}

const nameOf = ({ id, name }: LoggedMessage['from']) =>
  name ?? (id === null ? 'another server' : 'a deleted agent');

function MessageEntry({ agent, message }: { readonly agent: Agent; readonly message: LoggedMessage }) {
  const [text, setText] = useState('');
  const [isReplying, setReplying] = useState(false);
  const path = { id: agent.id, messageId: message.id };
  const done = {
    onDone() {
      setReplying(false);
      makeOld('agents');
    },
  };
  const reply = useAct(
    () => request('POST /api/agents/{id}/inbox/{messageId}/reply', { path, body: { text: text.trim() } }),
    done,
  );
  const fail = useAct(() => request('POST /api/agents/{id}/inbox/{messageId}/fail', { path }), done);
  const isOpen = message.to.id === agent.id && message.status === 'queued' && message.reply_to === null;
  return (
    <li className="stack">
      <span className="row-wrap">
        <strong>{nameOf(message.from)}</strong>
        <ArrowRight className="agents-arrow" aria-label="to" />
        <span>{nameOf(message.to)}</span>
        {message.reply_to === null ? (
          <StateBadge state={message.status} tone={message.status === 'replied' ? 'green' : undefined} />
        ) : (
          <Badge>reply</Badge>
        )}
        {message.code !== null && <Badge tone="red">{message.code.replaceAll('_', ' ')}</Badge>}
        <span className="faint">
          <When at={message.sent_at} />
        </span>
      </span>
      <p className="agents-text" dir="auto">
        {message.text}
      </p>
      {isOpen && !isReplying && (
        <div className="row-wrap">
          <Button size="s" onClick={() => setReplying(true)}>
            Reply as {agent.name}
          </Button>
          <Button size="s" kind="quiet" isBusy={fail.isBusy} onClick={() => fail.run()}>
            It cannot be answered
          </Button>
        </div>
      )}
      {isReplying && (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') reply.run();
          }}
        >
          <Field label={`What ${agent.name} says`} isLabelHidden>
            <TextArea value={text} onText={setText} maxLength={32_768} autoFocus />
          </Field>
          <div className="row-wrap">
            <Button size="s" kind="primary" type="submit" isBusy={reply.isBusy} disabled={text.trim() === ''}>
              Send the reply
            </Button>
            <Button size="s" kind="quiet" onClick={() => setReplying(false)}>
              Cancel
            </Button>
          </div>
        </form>
      )}
    </li>
  );
}

function WriteMessage({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const others = (useAgents().data ?? []).filter(({ id }) => id !== agent.id);
  const [to, setTo] = useState<string>();
  const [text, setText] = useState('');
  const isReady = to !== undefined && text.trim() !== '';
  const send = useAct(
    () => callAs(agent.id, 'corvid_send_message', { to_agent: to, message: text.trim(), wait_seconds: 0 }),
    {
      isQuiet: true,
      onDone() {
        makeOld('agents');
        toast({ text: 'It is in the inbox.' });
        onClose();
      },
    },
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => isReady && send.run()}
      title={`A message from ${agent.name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={send.isBusy} disabled={!isReady}>
            Send
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="To" isRequired>
          <Select
            value={to}
            onChange={setTo}
            options={others.map(({ id, name }) => ({ value: id, label: name }))}
            placeholder={others.length === 0 ? 'There is no other agent' : 'Choose an agent'}
          />
        </Field>
        <Field label="Message" isRequired error={send.error?.message}>
          <TextArea rows={5} value={text} onText={setText} maxLength={32_768} />
        </Field>
      </div>
    </Dialog>
  );
}
