/** Owns choosing the roles of somebody. */
import { Checkbox } from '../../../ui/checkbox.tsx';
import { useRoles } from '../queries.ts';

const ABOUT: Readonly<Record<string, string>> = {
  owner: 'Everything, the organization itself included',
  admin: 'Everything but the organization itself and its owners',
  member: 'Looks around, has keys and feedback; what every other role builds on',
  user: 'A visitor of the feedback pages, nothing of the team',
};

/** A box for each role. */
export function RoleChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (roles: readonly string[]) => void;
}) {
  const { data: roles = [] } = useRoles();
  return (
    <fieldset className="organization-choice">
      <legend className="field-label">Roles</legend>
      {roles.map(({ name, grants }) => (
        <Checkbox
          key={name}
          isChecked={chosen.includes(name)}
          onChange={(isOn) => onChange(isOn ? [...chosen, name] : chosen.filter((role) => role !== name))}
          hint={ABOUT[name] ?? `Members' rights, and ${Object.keys(grants).join(', ') || 'nothing more'}`}
        >
          {name}
        </Checkbox>
      ))}
    </fieldset>
  );
}
