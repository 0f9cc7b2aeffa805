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
  const save = useAct(
    async (next: readonly View[]) => {
      await request('PUT /api/views/{screen}', { path, body: { views: next } });
      queryClient.setQueryData(key, next);
    },
    { onDone: () => setName(undefined) },
  );
  const remove = useAct(async (rest: readonly View[], gone: View) => {
    const before = views;
    await request('PUT /api/views/{screen}', { path, body: { views: rest } });
    queryClient.setQueryData(key, rest);
    toast({
      text: `The view “${gone.name}” is removed.`,
      async onUndo() {
        await request('PUT /api/views/{screen}', { path, body: { views: before } });
        queryClient.setQueryData(key, before);
      },
    });
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
    const rest = views.filter((view) => view !== shown);
    items.push({ label: `Remove “${shown.name}”`, isDanger: true, onSelect: () => remove.run(rest, shown) });
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
          const others = views.filter((view) => view.name !== trimmed);
          save.run([...others, { name: trimmed, search: current }]);
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
