/** Owns giving tools of a connection to a virtual MCP, one that is there or a new one. */
import { useState } from 'react';
import { callTool } from '../../api/call-tool.ts';
import { queryClient, useToolQuery } from '../../api/query.ts';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast-store.ts';
import { SELF } from './queries.ts';
import type { ConnectionGlance } from '../../api/schema.ts';

interface Member {
  readonly connection_id: string;
  readonly selected_tools: readonly string[] | null;
}

interface VirtualMcp {
  readonly id: string;
  readonly title: string;
  readonly connections: readonly Member[];
}

const NEW = 'new';

export function ExposeDialog({
  glance,
  tools,
  onClose,
  onDone,
}: {
  readonly glance: ConnectionGlance;
  readonly tools: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const query = useToolQuery<{ items: VirtualMcp[] }>({
    topic: 'virtual-mcps',
    endpoint: SELF,
    tool: 'COLLECTION_VIRTUAL_MCP_LIST',
    args: { limit: 1000 },
  });
  const [target, setTarget] = useState(NEW);
  const [title, setTitle] = useState(glance.title);
  const found = query.data?.items.find(({ id }) => id === target);
  const member = found?.connections.find(({ connection_id }) => connection_id === glance.id);
  const isAll = member !== undefined && member.selected_tools === null;
  const keep = useAct(
    async () => {
      const chosen = { connection_id: glance.id, selected_tools: [...tools] };
      if (found === undefined)
        return callTool<{ item: VirtualMcp }>(SELF, 'COLLECTION_VIRTUAL_MCP_CREATE', {
          data: { title, connections: [chosen] },
        });
      const merged = {
        ...member,
        ...chosen,
        selected_tools: [...new Set([...(member?.selected_tools ?? []), ...tools])],
      };
      const connections = member
        ? found.connections.map((each) => (each === member ? merged : each))
        : [...found.connections, chosen];
      return callTool<{ item: VirtualMcp }>(SELF, 'COLLECTION_VIRTUAL_MCP_UPDATE', {
        id: found.id,
        data: { connections },
      });
    },
    {
      isQuiet: true,
      onDone: ({ item }) => {
        onDone();
        onClose();
        detach(queryClient.invalidateQueries({ queryKey: ['virtual-mcps'] }), reportError);
        toast({ text: `“${item.title}” has ${tools.length === 1 ? 'it' : 'them'} now.` });
      },
    },
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => keep.run()}
      size="s"
      title={`Give ${tools.length === 1 ? 'one tool' : `${tools.length} tools`} to a virtual MCP`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={keep.isBusy}
            disabled={isAll || (target === NEW && title.trim() === '')}
          >
            {target === NEW ? 'Make it' : 'Add'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field
          label="Virtual MCP"
          hint={isAll ? 'It has all tools of this connection already.' : undefined}
          error={keep.error?.message}
        >
          <Select
            value={target}
            onChange={setTarget}
            options={[
              { value: NEW, label: 'A new one' },
              ...(query.data?.items ?? []).map(({ id, title: name }) => ({ value: id, label: name })),
            ]}
          />
        </Field>
        {target === NEW && (
          <Field label="Name" isRequired>
            <Input value={title} onText={setTitle} maxLength={255} />
          </Field>
        )}
      </div>
    </Dialog>
  );
}
