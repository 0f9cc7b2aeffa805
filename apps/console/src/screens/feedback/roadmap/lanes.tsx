/** Owns the columns of a roadmap and moving cards between them: with the mouse, with keys, or from a menu. */
import { MoreHorizontal } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { DragEvent, KeyboardEvent } from 'react';
import { useAct } from '../../../api/use-act.ts';
import { IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Menu } from '../../../ui/menu.tsx';
import { useGo } from '../../../ui/use-screen.ts';
import { Dot, Votes } from '../shared/marks.tsx';
import type { Entry, Lane } from './queries.ts';
import { placeEntry, removeEntry } from './queries.ts';

/** A card that is held: over which lane, and before which of its other cards. */
interface Held {
  readonly entry: Entry;
  readonly lane: number;
  readonly index: number;
  readonly by: 'keys' | 'mouse';
}

/** The columns. */
export function Lanes({ roadmapId, lanes }: { readonly roadmapId: string; readonly lanes: readonly Lane[] }) {
  const [held, setHeld] = useState<Held>();
  const [said, setSaid] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const focusOn = useRef<string>(undefined);
  const go = useGo();
  const shown = useMemo(() => withHeld(lanes, held), [lanes, held]);
  const place = useAct(
    async (to: Held) => {
      const lane = lanes[to.lane];
      if (lane) await placeEntry(roadmapId, { entry: to.entry, lane, index: to.index });
    },
    { onDone: () => setHeld(undefined) },
  );
  const remove = useAct((entry: Entry) => removeEntry(roadmapId, entry), { inTurn: true });
  useEffect(() => {
    const id = focusOn.current;
    if (id === undefined) return;
    box.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`)?.focus();
  });
  useEffect(() => {
    if (place.error) setHeld(undefined);
  }, [place.error]);

  const say = (to: Held) => {
    const lane = lanes[to.lane];
    const count = (shown[to.lane]?.entries.filter(({ id }) => id !== to.entry.id).length ?? 0) + 1;
    setSaid(`${to.entry.title}: ${lane?.status.name ?? ''}, place ${to.index + 1} of ${count}`);
  };
  const moveHeld = (laneStep: number, step: number) => {
    if (!held) return;
    const lane = clamp(held.lane + laneStep, lanes.length);
    const others = lanes[lane]?.entries.filter(({ id }) => id !== held.entry.id).length ?? 0;
    const next = { ...held, lane, index: clamp(held.index + step, others + 1) };
    setHeld(next);
    say(next);
  };
  const moveFocus = (lane: number, index: number, laneStep: number, step: number) => {
    let at = lane + laneStep;
    // Empty columns are passed over.
    if (laneStep !== 0) while (shown[at]?.entries.length === 0) at += laneStep;
    const entries = shown[at]?.entries ?? [];
    const next = entries[clamp(index + step, entries.length)];
    if (!next) return;
    focusOn.current = next.id;
    box.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(next.id)}"]`)?.focus();
  };
  const drop = () => {
    if (!held) return;
    focusOn.current = held.entry.id;
    setSaid(`${held.entry.title} is put down.`);
    place.run(held);
  };
  const onKeyDown = (event: KeyboardEvent, lane: number, index: number, entry: Entry) => {
    if (event.target !== event.currentTarget) return;
    const step = STEPS[event.key];
    const isHeld = held?.by === 'keys';
    const act = step
      ? () => (isHeld ? moveHeld(...step) : moveFocus(lane, index, ...step))
      : event.key === ' '
        ? () => (isHeld ? drop() : pickUp(entry, lane, index))
        : event.key === 'Escape' && isHeld
          ? () => {
              setHeld(undefined);
              setSaid(`${entry.title} is back in its place.`);
            }
          : event.key === 'Enter'
            ? () => (isHeld ? drop() : go(`/feedback/inbox/${entry.id}`))
            : event.key === 'Delete' || event.key === 'Backspace'
              ? () => remove.run(entry)
              : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  };
  const pickUp = (entry: Entry, lane: number, index: number) => {
    const next: Held = { entry, lane, index, by: 'keys' };
    focusOn.current = entry.id;
    setHeld(next);
    setSaid(`${entry.title} is picked up. The arrow keys move it, Space puts it down, Escape puts it back.`);
  };
  const onDragOver = (event: DragEvent, lane: number) => {
    if (held?.by !== 'mouse') return;
    event.preventDefault();
    const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-card]')].filter(
      (card) => card.dataset['card'] !== held.entry.id,
    );
    const at = cards.findIndex((card) => {
      const { top, height } = card.getBoundingClientRect();
      return event.clientY < top + height / 2;
    });
    const index = at === -1 ? cards.length : at;
    if (held.lane !== lane || held.index !== index) setHeld({ ...held, lane, index });
  };
  return (
    <>
      <div className="lanes" ref={box} onBlur={() => (focusOn.current = undefined)}>
        {shown.map(({ status, entries }, lane) => (
          <section
            key={status.id}
            className={classes('lane', held?.lane === lane && 'lane-over')}
            aria-label={`${status.name}, ${entries.length}`}
            onDragOver={(event) => onDragOver(event, lane)}
            onDrop={(event) => {
              event.preventDefault();
              drop();
            }}
          >
            <h2 className="lane-head">
              <Dot color={status.color} />
              <bdi className="truncate">{status.name}</bdi>
              <span className="faint number">{entries.length}</span>
            </h2>
            <ul className="lane-cards">
              {entries.map((entry, index) => (
                <li
                  key={entry.id}
                  data-card={entry.id}
                  className={classes('lane-card', held?.entry.id === entry.id && 'lane-held')}
                  tabIndex={0}
                  aria-label={`${entry.title}, ${entry.voteCount} votes, ${entry.board.name}`}
                  aria-roledescription="card"
                  draggable
                  onDragStart={(event) => {
                    event.dataTransfer.effectAllowed = 'move';
                    event.dataTransfer.setData('text/plain', entry.title);
                    setHeld({ entry, lane, index, by: 'mouse' });
                  }}
                  onDragEnd={() => !place.isBusy && setHeld(undefined)}
                  onKeyDown={(event) => onKeyDown(event, lane, index, entry)}
                  onDoubleClick={() => go(`/feedback/inbox/${entry.id}`)}
                >
                  <span className="lane-title" dir="auto">
                    {entry.title}
                  </span>
                  <span className="row small muted">
                    <Votes count={entry.voteCount} />
                    <bdi className="truncate grow">{entry.board.name}</bdi>
                    <CardMenu
                      entry={entry}
                      lanes={lanes}
                      onOpen={() => go(`/feedback/inbox/${entry.id}`)}
                      onMove={(to) =>
                        place.run({ entry, lane: to, index: lanes[to]?.entries.length ?? 0, by: 'keys' })
                      }
                      onTop={() => place.run({ entry, lane, index: 0, by: 'keys' })}
                      onRemove={() => remove.run(entry)}
                    />
                  </span>
                </li>
              ))}
              {entries.length === 0 && <li className="lane-empty small faint">Nothing here</li>}
            </ul>
          </section>
        ))}
      </div>
      <div className="visually-hidden" role="status" aria-live="assertive">
        {said}
      </div>
    </>
  );
}

const STEPS: Readonly<Record<string, readonly [lane: number, step: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value));
}

/** The columns as they would be if the held card were put down now. */
function withHeld(lanes: readonly Lane[], held: Held | undefined): readonly Lane[] {
  if (!held) return lanes;
  return lanes.map((lane, at) => {
    const others = lane.entries.filter(({ id }) => id !== held.entry.id);
    return { ...lane, entries: at === held.lane ? others.toSpliced(held.index, 0, held.entry) : others };
  });
}

function CardMenu({
  entry,
  lanes,
  onOpen,
  onMove,
  onTop,
  onRemove,
}: {
  readonly entry: Entry;
  readonly lanes: readonly Lane[];
  readonly onOpen: () => void;
  readonly onMove: (lane: number) => void;
  readonly onTop: () => void;
  readonly onRemove: () => void;
}) {
  const all = lanes.map(({ status }, lane) => ({ id: status.id, name: status.name, lane }));
  const elsewhere = all.filter(({ id }) => id !== entry.statusId);
  return (
    <Menu
      trigger={
        <IconButton size="s" label={`More about ${entry.title}`} icon={<MoreHorizontal />} tabIndex={-1} />
      }
      items={[
        { label: 'Open the post', onSelect: onOpen },
        { label: 'To the top', onSelect: onTop },
        ...elsewhere.map(({ name, lane }) => ({ label: `To ${name}`, onSelect: () => onMove(lane) })),
        'separator',
        { label: 'Take it off the roadmap', isDanger: true, onSelect: onRemove },
      ]}
    />
  );
}
