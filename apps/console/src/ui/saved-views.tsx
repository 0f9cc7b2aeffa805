/** Owns saved views: filters and sort of a list under a name, kept for the person on the server. */
import { useQuery } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { request } from '../api/request.ts';
import type { View } from '../api/schema.ts';
import { queryClient } from '../api/query.ts';
import { useAct } from '../api/use-act.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field, Input } from './field.tsx';
import { Menu } from './menu.tsx';
import type { MenuEntry } from './menu.tsx';
import { toast } from './toast-store.ts';
import type { ScreenState, Search } from './use-screen.ts';

/** The button that lists, saves and removes views of a list. */
export function SavedViews({
  screenName,
  screen,
}: {
  readonly screenName: string;
  readonly screen: ScreenState;
}) {
  const path = { screen: screenName };
  const key = ['views', screenName];
  const { data: views = [] } = useQuery({
    queryKey: key,
    queryFn: () => request('GET /api/views/{screen}', { path }),
  });
  const [name, setName] = useState<string>();
  /** Changes the list as the server has it now: this tab may have read it long ago, or not yet. */
  const change = async (next: (now: readonly View[]) => readonly View[]) => {
    const changed = next(await request('GET /api/views/{screen}', { path }));
    await request('PUT /api/views/{screen}', { path, body: { views: changed } });
    queryClient.setQueryData(key, changed);
  };
  const put = (view: View) => change((now) => [...now.filter(({ name: own }) => own !== view.name), view]);
  const save = useAct(put, { onDone: () => setName(undefined) });
  const remove = useAct(async (gone: View) => {
    await change((now) => now.filter(({ name: own }) => own !== gone.name));
    toast({ text: `The view “${gone.name}” is removed.`, onUndo: () => put(gone) });
  });
  const hasSearch = Object.keys(screen.search).length > 0;
  const show = (view: View) => {
    const nothing = Object.fromEntries(Object.keys(screen.search).map((id) => [id, undefined]));
    screen.setSearch({ ...nothing, ...Object.fromEntries(new URLSearchParams(view.search)) });
  };
  const current = textOf(screen.search);
  const isShown = (view: View) => view.search === current;
  const items: MenuEntry[] = views.map((view) => ({
    label: view.name,
    isChecked: isShown(view),
    onSelect: () => show(view),
  }));
  const shown = views.find(isShown);
  if (items.length > 0) items.push('separator');
  items.push({ label: 'Save these filters …', isDisabled: !hasSearch, onSelect: () => setName('') });
  if (shown) {
    items.push({ label: `Remove “${shown.name}”`, isDanger: true, onSelect: () => remove.run(shown) });
  }
  const trimmed = name?.trim() ?? '';
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button size="s" kind="quiet" icon={<Bookmark />}>
            {shown?.name ?? 'Views'}
          </Button>
        }
        items={items}
      />
      <Dialog
        isOpen={name !== undefined}
        onClose={() => setName(undefined)}
        title="Save this view"
        description="The filters and the sort, for you alone."
        size="s"
        onSubmit={() => {
          if (trimmed === '') return;
          save.run({ name: trimmed, search: current });
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

/** Sorted by name, so that the same filters are the same text. */
function textOf(search: Search): string {
  const entries = Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const sorted = new URLSearchParams(entries);
  sorted.sort();
  return sorted.toString();
}
