/** Owns what is shown of a member: which tools, under which prefix, with which documents, and overrides of its tools. */
import { SlidersHorizontal } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { NameChooser } from '../../ui/name-chooser.tsx';
import type { Choice } from '../../ui/name-chooser.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast-store.ts';
import { OverrideDialog } from './override-dialog.tsx';
import { keepMembers, readAgain } from './queries.ts';
import type { Member, MemberGlance, ToolOverride } from './types.ts';

export interface MemberDialogProps {
  readonly virtualId: string;
  readonly member: Member;
  readonly glance: MemberGlance | undefined;
  readonly members: readonly Member[];
  readonly canChange: boolean;
  readonly onClose: () => void;
}

export function MemberDialog({ virtualId, member, glance, members, canChange, onClose }: MemberDialogProps) {
  const [isAll, setAll] = useState(member.selected_tools === null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(member.selected_tools ?? glance?.tools?.map(({ name }) => name) ?? []),
  );
  const [prefix, setPrefix] = useState(member.prefix ?? '');
  const [resources, setResources] = useState(() => linesOf(member.selected_resources));
  const [prompts, setPrompts] = useState(() => linesOf(member.selected_prompts));
  const [overrides, setOverrides] = useState<Readonly<Record<string, ToolOverride>>>(member.overrides ?? {});
  const [opened, setOpened] = useState<string>();
  const choices = useMemo(() => choicesOf(glance, chosen, overrides), [glance, chosen, overrides]);
  const title = glance?.title ?? member.connection_id;
  const keep = useAct(
    async () => {
      const before = members;
      const next: Member = {
        connection_id: member.connection_id,
        selected_tools: isAll ? null : [...chosen],
        selected_resources: listOf(resources),
        selected_prompts: listOf(prompts),
        ...(prefix !== '' && { prefix }),
        ...(Object.keys(overrides).length > 0 && { overrides }),
      };
      await keepMembers(
        virtualId,
        before.map((each) => (each === member ? next : each)),
      );
      await readAgain();
      return before;
    },
    {
      isQuiet: true,
      onDone: (before) => {
        onClose();
        toast({
          text: `What is shown of “${title}” is changed.`,
          onUndo: () => keepMembers(virtualId, before).then(readAgain),
        });
      },
    },
  );
  return (
    <>
      <Dialog
        isOpen={opened === undefined}
        onClose={onClose}
        onSubmit={() => keep.run()}
        size="l"
        title={`What is shown of “${title}”`}
        footer={
          <>
            <Button onClick={onClose}>{canChange ? 'Cancel' : 'Close'}</Button>
            {canChange && (
              <Button kind="primary" type="submit" isBusy={keep.isBusy}>
                Save
              </Button>
            )}
          </>
        }
      >
        <div className="stack">
          {keep.error && <Notice tone="red">{keep.error.message}</Notice>}
          <Checkbox
            isChecked={isAll}
            isDisabled={!canChange}
            onChange={setAll}
            hint="Also those that its server gets later, once they are approved."
          >
            All tools
          </Checkbox>
          {glance?.tools === null || glance === undefined ? (
            <p className="muted small">
              {glance?.isSelf === true || glance?.type === 'VIRTUAL'
                ? 'This server serves it itself; its tools are in Names.'
                : 'Its server was never read, so that its tools are not known.'}
            </p>
          ) : (
            <NameChooser
              label="Tools of the member"
              choices={choices}
              chosen={isAll ? new Set(choices.map(({ name }) => name)) : chosen}
              onChange={(next) => {
                setAll(false);
                setChosen(next);
              }}
              isReadOnly={!canChange}
              onOpen={setOpened}
              actions={
                <span className="small muted row">
                  <SlidersHorizontal className="virtual-icon" aria-hidden /> open a tool to override what it
                  says
                </span>
              }
            />
          )}
          <Field label="Prefix" hint="Stands before all its names as it is: ev_ makes ev_search of search">
            <Input value={prefix} onText={setPrefix} maxLength={24} className="mono" disabled={!canChange} />
          </Field>
          <div className="virtual-two">
            <Field
              label="Resources"
              hint="One URI for each line, * within a segment, ** across; empty: all. A single - : none"
            >
              <TextArea value={resources} onText={setResources} isCode rows={3} disabled={!canChange} />
            </Field>
            <Field label="Prompts" hint="One name for each line; empty: all. A single - : none">
              <TextArea value={prompts} onText={setPrompts} isCode rows={3} disabled={!canChange} />
            </Field>
          </div>
        </div>
      </Dialog>
      {opened !== undefined && (
        <OverrideDialog
          connectionId={member.connection_id}
          tool={opened}
          override={overrides[opened]}
          canChange={canChange}
          onClose={() => setOpened(undefined)}
          onKeep={(next) => {
            const { [opened]: _before, ...others } = overrides;
            setOverrides(next === undefined ? others : { ...others, [opened]: next });
            setOpened(undefined);
          }}
        />
      )}
    </>
  );
}

const NONE = '-';

function linesOf(names: readonly string[] | null): string {
  if (names === null) return '';
  return names.length === 0 ? NONE : names.join('\n');
}

function listOf(lines: string): string[] | null {
  const names = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (names.length === 0) return null;
  return names.length === 1 && names[0] === NONE ? [] : names;
}

function choicesOf(
  glance: MemberGlance | undefined,
  chosen: ReadonlySet<string>,
  overrides: Readonly<Record<string, ToolOverride>>,
): Choice[] {
  const known = glance?.tools ?? [];
  const names = new Set(known.map(({ name }) => name));
  return [
    ...known.map((tool) => ({
      name: tool.name,
      description: tool.title ?? tool.description,
      tokens: tool.tokens,
      marks: (
        <>
          {tool.isHeld && <Badge tone="amber">held</Badge>}
          {Object.hasOwn(overrides, tool.name) && <Badge tone="accent">overridden</Badge>}
        </>
      ),
    })),
    // What was chosen and is not there now stays chosen, for when it comes back.
    ...[...chosen]
      .filter((name) => !names.has(name))
      .map((name) => ({ name, description: 'not there now', marks: <Badge tone="amber">missing</Badge> })),
  ];
}
