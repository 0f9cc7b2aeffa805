/** Owns what gives an agent its tools: its own list or the default set, and its bundles. */
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { Agent } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { NameChooser } from '../../ui/name-chooser.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useBundles, useSkills, useToolNames } from './bundle-queries.ts';

export function GivenSets({ agent }: { readonly agent: Agent }) {
  const [isEditing, setEditing] = useState(false);
  const skills = useSkills(agent.id).data ?? [];
  const bundles = useBundles().data ?? [];
  const { id } = agent;
  const old = { onDone: () => makeOld('agents') };
  const give = useAct(
    (bundleId: string) =>
      request('POST /api/agents/{id}/skills', {
        path: { id },
        body: { bundle_id: bundleId, sort_order: skills.length },
      }),
    old,
  );
  const take = useAct(
    (bundleId: string) => request('DELETE /api/agents/{id}/skills/{bundleId}', { path: { id, bundleId } }),
    old,
  );
  const others = bundles.filter((bundle) => !skills.some(({ bundle_id }) => bundle_id === bundle.id));
  return (
    <section className="stack agents-box" aria-label="Lists and bundles">
      <div className="agents-line">
        <div className="grow">
          <strong>List</strong>{' '}
          <span className="muted">
            {agent.tools === null
              ? 'none of its own: it has the default set'
              : `${agent.tools.length} ${agent.tools.length === 1 ? 'tool' : 'tools'} by name`}
          </span>
        </div>
        <Button size="s" onClick={() => setEditing(true)}>
          Change
        </Button>
      </div>
      <div className="agents-line">
        <div className="grow row-wrap">
          <strong>Bundles</strong>
          {skills.length === 0 && <span className="muted">none</span>}
          {skills.map((skill) => (
            <span key={skill.bundle_id} className="chip">
              <span className="chip-text" title={skill.tools.join(', ')}>
                {skill.name}
              </span>
              <IconButton
                size="s"
                label={`Take back ${skill.name}`}
                icon={<X />}
                onClick={() => take.run(skill.bundle_id)}
              />
            </span>
          ))}
        </div>
        <Menu
          trigger={
            <Button size="s" icon={<Plus />} disabled={others.length === 0}>
              Give a bundle
            </Button>
          }
          items={others.map((bundle) => ({
            label: bundle.name,
            hint: `${bundle.tools.length} tools`,
            onSelect: () => give.run(bundle.id),
          }))}
        />
      </div>
      {isEditing && <ListDialog agent={agent} onClose={() => setEditing(false)} />}
    </section>
  );
}

function ListDialog({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const [isDefault, setDefault] = useState(agent.tools === null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(agent.tools));
  const names = useToolNames(agent.tools ?? []);
  const body = { tools: isDefault ? null : [...chosen] };
  const save = useAct(() => request('PATCH /api/agents/{id}', { path: { id: agent.id }, body }), {
    isQuiet: true,
    onDone() {
      makeOld('agents');
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      size="l"
      onClose={onClose}
      onSubmit={() => save.run()}
      title={`The list of ${agent.name}`}
      description="What it may use besides its bundles. It counts from the next request."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        {save.error && <Notice tone="red">{save.error.message}</Notice>}
        <Switch isChecked={isDefault} onChange={setDefault}>
          The default set: every built-in tool but the two that give credits and set their price
        </Switch>
        {!isDefault && (
          <NameChooser
            label="Tools of the agent"
            choices={names.map((name) => ({ name }))}
            chosen={chosen}
            onChange={setChosen}
          />
        )}
      </div>
    </Dialog>
  );
}
