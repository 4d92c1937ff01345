import { Link } from "@tanstack/react-router";
import { RegionsPage } from "@/features/explore/regions/RegionsPage";
import { useAddress } from "@/routes/useAddress";

export function RegionsRoute() {
  const { search } = useAddress("/catalog/regions");
  return (
    <RegionsPage
      search={search}
      linkTo={(version, region) => (
        <Link to="/catalog/instances" search={{ version, region }}>
          {region}
        </Link>
      )}
    />
  );
}
