package io.wireproof.workload;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateDelegationTokenOptions;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.quota.ClientQuotaFilterComponent;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.token.delegation.DelegationToken;

/** Access control lists, SCRAM users, quotas, delegation tokens. */
final class Security {
    /** Users, and what they say when they log in over SASL. */
    static final String USER = "wireproof-user";

    static final String PASSWORD = "wireproof-secret";

    /** A topic that the user may not read. */
    static final String DENIED_TOPIC = "wireproof.denied";

    private static final int ASKED = 50;

    private final Admin admin;
    private final Steps steps;

    Security(Admin admin, Steps steps) {
        this.admin = admin;
        this.steps = steps;
    }

    void run() {
        acls();
        scramUsers();
        quotas();
    }

    private void acls() {
        List<AclBinding> bindings = List.of(
                new AclBinding(
                        new ResourcePattern(ResourceType.TOPIC, DENIED_TOPIC, PatternType.PREFIXED),
                        new AccessControlEntry("User:" + USER, "*", AclOperation.WRITE, AclPermissionType.DENY)),
                new AclBinding(
                        new ResourcePattern(ResourceType.GROUP, "*", PatternType.LITERAL),
                        new AccessControlEntry("User:" + USER, "127.0.0.1", AclOperation.ALL, AclPermissionType.ALLOW)),
                new AclBinding(
                        new ResourcePattern(ResourceType.TOPIC, DENIED_TOPIC, PatternType.LITERAL),
                        new AccessControlEntry("User:" + USER, "*", AclOperation.ALL, AclPermissionType.DENY)));
        steps.step("admin/create-acls", () -> Results.await(admin.createAcls(bindings)));
        steps.step("admin/describe-acls", () -> Results.await(admin.describeAcls(AclBindingFilter.ANY)));
        steps.step("admin/describe-acls-of", () -> Results.await(
                admin.describeAcls(bindings.get(0).toFilter())));
        steps.step("admin/delete-acls", () -> Results.await(
                admin.deleteAcls(List.of(bindings.get(0).toFilter(), bindings.get(1).toFilter()))));
    }

    private void scramUsers() {
        for (ScramMechanism mechanism : List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)) {
            UserScramCredentialAlteration user =
                    new UserScramCredentialUpsertion(USER, new ScramCredentialInfo(mechanism, 4096), PASSWORD);
            steps.step("admin/create-user-" + mechanism.mechanismName(),
                    () -> Results.await(admin.alterUserScramCredentials(List.of(user))));
        }
        steps.step("admin/describe-scram-users", () -> Results.await(admin.describeUserScramCredentials()));
        steps.step("admin/delete-scram-user", () -> Results.await(admin.alterUserScramCredentials(
                List.of(new UserScramCredentialDeletion("wireproof-nobody", ScramMechanism.SCRAM_SHA_256)))));
    }

    private void quotas() {
        ClientQuotaEntity entity = new ClientQuotaEntity(
                Map.of(ClientQuotaEntity.USER, USER, ClientQuotaEntity.CLIENT_ID, "wireproof-quota"));
        steps.step("admin/alter-quotas", () -> Results.await(admin.alterClientQuotas(List.of(
                new ClientQuotaAlteration(entity, List.of(
                        new ClientQuotaAlteration.Op("producer_byte_rate", 1e9),
                        new ClientQuotaAlteration.Op("request_percentage", 250.5)))))));
        steps.step("admin/describe-quotas", () -> Results.await(
                admin.describeClientQuotas(ClientQuotaFilter.all())));
        steps.step("admin/describe-quotas-of", () -> Results.await(admin.describeClientQuotas(
                ClientQuotaFilter.contains(List.of(ClientQuotaFilterComponent.ofEntity("user", USER))))));
    }

    /** A delegation token's life, and a client that logs in with it. Only who has logged in may have one. */
    void tokens(Session session) {
        steps.step("token/create", () -> {
            DelegationToken token = admin.createDelegationToken(
                    new CreateDelegationTokenOptions().maxLifetimeMs(600_000)).delegationToken().get();
            steps.step("token/describe", () -> known(token));
            steps.step("token/renew", () -> Results.await(admin.renewDelegationToken(token.hmac())));
            steps.step("token/login", () -> login(session, token));
            steps.step("token/expire", () -> Results.await(admin.expireDelegationToken(token.hmac())));
        });
    }

    /** Wait until the broker that is asked has heard of the token. */
    private void known(DelegationToken token) throws Exception {
        for (int i = 0; i < ASKED; i++) {
            if (admin.describeDelegationToken().delegationTokens().get().contains(token)) {
                return;
            }
            Thread.sleep(Session.PAUSE_MS);
        }
        throw new IllegalStateException("the token that was made is not listed");
    }

    private static void login(Session session, DelegationToken token) throws Exception {
        String options = "username=\"" + token.tokenInfo().tokenId() + "\" password=\"" + token.hmacAsBase64String()
                + "\" tokenauth=\"true\"";
        Map<String, Object> client = session.client("token", Logins.properties("SCRAM-SHA-256", options));
        try (Admin user = Admin.create(client)) {
            Results.await(user.describeCluster());
        }
    }
}
