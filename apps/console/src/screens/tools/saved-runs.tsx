/** Owns arguments that were kept under a name. */
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import type { Tool } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuEntry } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast-store.ts';
import { keyOf, removeRun, saveRun, useSavedRuns } from './queries.ts';
import type { SavedRun } from './queries.ts';

/** The menu of saved arguments of a tool. */
export function SavedRuns({
  tool,
  args,
  onLoad,
}: {
  readonly tool: Tool;
  readonly args: unknown;
  readonly onLoad: (args: unknown) => void;
}) {
  const { data: all = [] } = useSavedRuns();
  const [name, setName] = useState<string>();
  const save = useAct(saveRun, { onDone: () => setName(undefined) });
  const remove = useAct(async (run: SavedRun) => {
    await removeRun(run);
    toast({ text: `“${run.name}” is removed.`, onUndo: () => saveRun(run) });
  });
  const key = keyOf(tool);
  const own = all.filter((run) => run.tool === key);
  const trimmed = name?.trim() ?? '';
  const items: MenuEntry[] = [
    ...own.map((run) => ({ label: run.name, onSelect: () => onLoad(run.args) })),
    ...(own.length > 0 ? (['separator'] as const) : []),
    { label: 'Save these arguments …', onSelect: () => setName('') },
    ...own.map((run) => ({ label: `Remove “${run.name}”`, isDanger: true, onSelect: () => remove.run(run) })),
  ];
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button size="s" kind="quiet" icon={<Bookmark />}>
            Saved{own.length > 0 ? ` (${own.length})` : ''}
          </Button>
        }
        items={items}
      />
      <Dialog
        isOpen={name !== undefined}
        onClose={() => setName(undefined)}
        title="Save these arguments"
        description={`For ${tool.title}, for you alone.`}
        size="s"
        onSubmit={() => {
          if (trimmed === '') return;
          save.run({ name: trimmed, tool: key, args: args ?? {} });
        }}
        footer={
          <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={trimmed === ''}>
            Save
          </Button>
        }
      >
        <Field label="Name">
          <Input value={name ?? ''} onText={setName} maxLength={60} autoFocus />
        </Field>
      </Dialog>
    </>
  );
}
