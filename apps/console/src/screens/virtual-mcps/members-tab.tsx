/** Owns the members of a virtual MCP: which, in which order, and what is shown of each. */
import { ArrowDown, ArrowUp, Pencil, Plus, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { NameChooser } from '../../ui/name-chooser.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { HealthBadge } from '../connections/health.tsx';
import { memberChoices, useMemberCandidates } from './candidates.ts';
import type { PartProps } from './detail.tsx';
import { MemberDialog } from './member-dialog.tsx';
import { keepMembers, readAgain } from './queries.ts';
import type { Member, MemberGlance } from './types.ts';

export function MembersTab({ virtual, described, has }: PartProps) {
  const [editing, setEditing] = useState<string>();
  const [isAdding, setAdding] = useState(false);
  const canChange = has('COLLECTION_VIRTUAL_MCP_UPDATE');
  const keep = useAct(
    async (connections: readonly Member[], text: string) => {
      const before = virtual.connections;
      await keepMembers(virtual.id, connections);
      await readAgain();
      return { before, text };
    },
    {
      onDone: ({ before, text }) => {
        toast({ text, onUndo: () => keepMembers(virtual.id, before).then(readAgain) });
      },
    },
  );
  const members = virtual.connections;
  const move = (at: number, by: number) => {
    const next = [...members];
    const [taken] = next.splice(at, 1);
    if (taken === undefined) return;
    next.splice(at + by, 0, taken);
    keep.run(next, 'The order is changed. Names that were given stay.');
  };
  const open = members.find(({ connection_id }) => connection_id === editing);
  const notes = [...new Set([...(virtual.notes ?? []), ...described.notes])];
  return (
    <div className="stack">
      {notes.length > 0 && (
        <Notice tone="amber">
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Notice>
      )}
      {members.length === 0 ? (
        <EmptyState title="No members" action={canChange && <AddButton onClick={() => setAdding(true)} />}>
          A member is a connection, another virtual MCP, or this server itself; without one it has its tools
          in code alone.
        </EmptyState>
      ) : (
        <ul className="members" aria-label="Members">
          {members.map((member, index) => (
            <Line
              key={member.connection_id}
              member={member}
              glance={described.members.find(({ connectionId }) => connectionId === member.connection_id)}
              canChange={canChange}
              isBusy={keep.isBusy}
              onEdit={() => setEditing(member.connection_id)}
              onRemove={() => keep.run(members.toSpliced(index, 1), 'The member is taken out.')}
              {...(index > 0 && { onUp: () => move(index, -1) })}
              {...(index < members.length - 1 && { onDown: () => move(index, 1) })}
            />
          ))}
        </ul>
      )}
      {canChange && members.length > 0 && (
        <div className="row">
          <AddButton onClick={() => setAdding(true)} />
          <span className="small muted">The first member keeps a name that two of them have.</span>
        </div>
      )}
      {open && (
        <MemberDialog
          virtualId={virtual.id}
          member={open}
          glance={described.members.find(({ connectionId }) => connectionId === open.connection_id)}
          members={members}
          canChange={canChange}
          onClose={() => setEditing(undefined)}
        />
      )}
      {isAdding && (
        <AddDialog
          taken={new Set([virtual.id, ...members.map(({ connection_id }) => connection_id)])}
          onClose={() => setAdding(false)}
          onAdd={(ids) => {
            const added = ids.map((id) => ({
              connection_id: id,
              selected_tools: null,
              selected_resources: null,
              selected_prompts: null,
            }));
            keep.run(
              [...members, ...added],
              ids.length === 1 ? 'A member is added.' : `${ids.length} members are added.`,
            );
            setAdding(false);
          }}
        />
      )}
    </div>
  );
}

function AddButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button icon={<Plus />} onClick={onClick}>
      Add members
    </Button>
  );
}

interface LineProps {
  readonly member: Member;
  readonly glance: MemberGlance | undefined;
  readonly canChange: boolean;
  readonly isBusy: boolean;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  readonly onUp?: () => void;
  readonly onDown?: () => void;
}

function Line({ member, glance, canChange, isBusy, onEdit, onRemove, onUp, onDown }: LineProps) {
  const title = glance?.title ?? member.connection_id;
  const overrides = Object.keys(member.overrides ?? {}).length;
  const held = glance?.tools?.filter(({ isHeld, isSelected }) => isHeld && isSelected).length ?? 0;
  const place = glance?.type === 'VIRTUAL' && !glance.isSelf ? 'virtual-mcps' : 'connections';
  return (
    <li className="member">
      <div className="grow">
        <div className="row-wrap">
          <ScreenLink
            to={`/${place}/${encodeURIComponent(member.connection_id)}`}
            className="strong virtual-isolated"
          >
            {title}
          </ScreenLink>
          {glance && <HealthBadge status={glance.status} reason={glance.reason} breaker="closed" />}
        </div>
        <div className="row-wrap small muted">
          <span>{toolsText(member, glance)}</span>
          {member.prefix !== undefined && (
            <span>
              prefix <code>{member.prefix}</code>
            </span>
          )}
          {overrides > 0 && <Badge>{overrides === 1 ? 'one override' : `${overrides} overrides`}</Badge>}
          {held > 0 && (
            <Badge tone="amber" title="They wait for approval, so that nobody has them">
              {held} held
            </Badge>
          )}
        </div>
      </div>
      <IconButton
        label={`${canChange ? 'Choose' : 'See'} what is shown of ${title}`}
        icon={<Pencil />}
        onClick={onEdit}
      />
      {canChange && (
        <>
          <IconButton
            label={`Move ${title} up`}
            icon={<ArrowUp />}
            disabled={!onUp || isBusy}
            onClick={onUp}
          />
          <IconButton
            label={`Move ${title} down`}
            icon={<ArrowDown />}
            disabled={!onDown || isBusy}
            onClick={onDown}
          />
          <IconButton label={`Take ${title} out`} icon={<X />} disabled={isBusy} onClick={onRemove} />
        </>
      )}
    </li>
  );
}

function toolsText({ selected_tools: selected }: Member, glance: MemberGlance | undefined): string {
  const all = glance?.tools?.length;
  if (selected === null)
    return all === undefined ? 'all tools' : `all ${all} tools, and those that come later`;
  if (selected.length === 0) return 'no tools';
  return all === undefined ? `${selected.length} tools` : `${selected.length} of ${all} tools`;
}

function AddDialog({
  taken,
  onClose,
  onAdd,
}: {
  readonly taken: ReadonlySet<string>;
  readonly onClose: () => void;
  readonly onAdd: (ids: readonly string[]) => void;
}) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const candidates = useMemberCandidates();
  const free = useMemo(() => candidates.all.filter(({ id }) => !taken.has(id)), [candidates.all, taken]);
  const choices = useMemo(() => memberChoices(free), [free]);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => onAdd(free.filter(({ label }) => chosen.has(label)).map(({ id }) => id))}
      title="Add members"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={chosen.size === 0}>
            Add {chosen.size === 0 ? '' : chosen.size}
          </Button>
        </>
      }
    >
      <NameChooser
        label="Connections and virtual MCPs"
        choices={choices}
        chosen={chosen}
        onChange={setChosen}
      />
    </Dialog>
  );
}
