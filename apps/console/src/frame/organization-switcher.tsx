/** Owns which organization the person works in. */
import { ChevronsUpDown } from 'lucide-react';
import { switchOrganization, useSession } from '../api/session.ts';
import { useAct } from '../api/use-act.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { useGo } from '../ui/use-screen.ts';

/** The name of the organization; with several, a menu of them. */
export function OrganizationSwitcher() {
  const { organization, organizations } = useSession();
  const go = useGo();
  // What was open belongs to the other organization.
  const change = useAct(switchOrganization, { onDone: () => go('/') });
  if (organizations.length < 2) {
    return <span className="top-name truncate">{organization.name}</span>;
  }
  return (
    <Menu
      align="start"
      trigger={
        <Button
          kind="quiet"
          className="top-organization"
          icon={<Avatar name={organization.name} size="s" isSquare />}
        >
          <span className="row">
            <span className="truncate">{organization.name}</span>
            <ChevronsUpDown aria-label="Switch the organization" />
          </span>
        </Button>
      }
      items={[
        { heading: 'Organizations' },
        ...organizations.map(({ id, name }) => ({
          label: name,
          icon: <Avatar name={name} size="s" isSquare />,
          isChecked: id === organization.id,
          onSelect: () => {
            if (id !== organization.id) change.run(id);
          },
        })),
      ]}
    />
  );
}
