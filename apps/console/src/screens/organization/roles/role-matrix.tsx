/** Owns the matrix: tools in groups of one effect down the side, roles across, and whether each role has each tool. */
import { Check, ChevronRight, Minus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Tool } from '../../../api/schema.ts';
import type { Effect } from '../../../api/types.ts';
import { Badge, EffectBadge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/classes.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { covers, EFFECTS, resourcesOf } from '../grants/grants.ts';
import type { Role } from '../../../api/schema.ts';
import type { Grants } from '../queries.ts';

/** A role as the matrix shows it: what it gives in all. */
interface Column {
  readonly role: Role;
  readonly grants: readonly Grants[];
  readonly isAdministrator: boolean;
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly effect: Effect;
  readonly tools: readonly Tool[];
}

/** All groups of tools with what each role has of them; a group opens to its tools. */
export function RoleMatrix({
  roles,
  tools,
  screen,
}: {
  readonly roles: readonly Role[];
  readonly tools: readonly Tool[];
  readonly screen: ScreenState;
}) {
  const groups = useMemo(() => groupsOf(tools), [tools]);
  const columns = useMemo(() => columnsOf(roles), [roles]);
  const chosen = screen.search['effect'];
  const shown = chosen === undefined ? groups : groups.filter(({ effect }) => effect === chosen);
  return (
    <section className="stack" aria-label="Tools by role">
      <div className="row-wrap" role="group" aria-label="Effect">
        {EFFECTS.map((effect) => (
          <button
            key={effect}
            type="button"
            className="organization-effect"
            aria-pressed={chosen === effect}
            onClick={() => screen.setSearch({ effect: chosen === effect ? undefined : effect })}
          >
            <EffectBadge effect={effect} />
          </button>
        ))}
      </div>
      <div className="matrix-scroll" tabIndex={0} role="region" aria-label="Matrix of tools by role">
        <table className="matrix">
          <thead>
            <tr>
              <th scope="col">Tools</th>
              {columns.map(({ role }) => (
                <th key={role.name} scope="col" title={`${role.members} hold it`}>
                  {role.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((group) => (
              <GroupRows key={group.id} group={group} columns={columns} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function GroupRows({ group, columns }: { readonly group: Group; readonly columns: readonly Column[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <tr className="matrix-group">
        <th scope="row">
          <button
            type="button"
            className="matrix-toggle"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight className={classes('grants-arrow', isOpen && 'grants-arrow-open')} aria-hidden />
            <span className="truncate">{group.title}</span>
            <EffectBadge effect={group.effect} />
          </button>
        </th>
        {columns.map((column) => (
          <td key={column.role.name}>
            <Share
              count={group.tools.filter((tool) => has(column, tool)).length}
              total={group.tools.length}
            />
          </td>
        ))}
      </tr>
      {isOpen &&
        group.tools.map((tool) => (
          <tr key={tool.name}>
            <th scope="row" className="matrix-tool">
              <span className="truncate" title={tool.description}>
                {tool.title || tool.name}
              </span>
              {tool.isPrivileged && <Badge tone="amber">dangerous</Badge>}
            </th>
            {columns.map((column) => (
              <td key={column.role.name}>
                {has(column, tool) ? (
                  <Check className="matrix-yes" aria-label="yes" />
                ) : (
                  <Minus className="matrix-no" aria-label="no" />
                )}
              </td>
            ))}
          </tr>
        ))}
    </>
  );
}

function Share({ count, total }: { readonly count: number; readonly total: number }) {
  if (count === total) return <span className="matrix-all">all {total}</span>;
  if (count === 0) return <span className="faint">none</span>;
  return (
    <span className="number">
      {count} of {total}
    </span>
  );
}

function has({ grants, isAdministrator }: Column, tool: Tool): boolean {
  return grants.some((some) => covers(some, tool, isAdministrator));
}

function columnsOf(roles: readonly Role[]): readonly Column[] {
  const base = roles.find(({ name }) => name === 'member')?.grants ?? {};
  return roles.map((role) => ({
    role,
    grants: role.isBuiltIn ? [role.grants] : [base, role.grants],
    isAdministrator: role.name === 'owner' || role.name === 'admin',
  }));
}

function groupsOf(tools: readonly Tool[]): readonly Group[] {
  return resourcesOf(tools).flatMap((resource) =>
    EFFECTS.flatMap((effect) => {
      const own = resource.tools.filter((tool) => tool.effect === effect);
      if (own.length === 0) return [];
      return [{ id: `${resource.id} ${effect}`, title: resource.title, effect, tools: own }];
    }),
  );
}
