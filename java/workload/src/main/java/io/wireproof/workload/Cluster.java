package io.wireproof.workload;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.RaftVoterEndpoint;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;

/** Calls of an admin client about the cluster itself: nodes, features, quorum, metrics. */
final class Cluster {
    private final Admin admin;
    private final Steps steps;

    Cluster(Admin admin, Steps steps) {
        this.admin = admin;
        this.steps = steps;
    }

    @SuppressWarnings("removal") // what replaces it is not in the older jars
    void run() {
        steps.step("admin/describe-cluster", () -> Results.await(
                admin.describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true))));
        steps.step("admin/describe-features", () -> Results.await(admin.describeFeatures()));
        steps.step("admin/update-features", () -> Results.await(admin.updateFeatures(
                Map.of("metadata.version", new FeatureUpdate((short) 1, FeatureUpdate.UpgradeType.SAFE_DOWNGRADE)),
                new UpdateFeaturesOptions().validateOnly(true))));
        steps.step("admin/describe-quorum", () -> Results.await(admin.describeMetadataQuorum()));
        steps.step("admin/unregister-broker", () -> Results.await(admin.unregisterBroker(77)));
        steps.step("admin/add-voter", () -> Results.await(admin.addRaftVoter(
                77, Uuid.randomUuid(), Set.of(new RaftVoterEndpoint("CONTROLLER", "127.0.0.1", 1)))));
        steps.step("admin/remove-voter", () -> Results.await(admin.removeRaftVoter(77, Uuid.randomUuid())));
        steps.step("admin/subscribe-metrics", this::subscribeMetrics);
        steps.step("admin/list-config-resources", () -> Results.await(admin.listConfigResources()));
        steps.step("admin/list-client-metrics", () -> Results.await(admin.listClientMetricsResources()));
    }

    /** Ask for metrics of all clients (KIP-714), so that those which come later push some. */
    private void subscribeMetrics() throws Exception {
        ConfigResource all = new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "wireproof");
        Results.await(admin.incrementalAlterConfigs(Map.of(all, List.of(
                new AlterConfigOp(new ConfigEntry("metrics", "*"), AlterConfigOp.OpType.SET),
                new AlterConfigOp(new ConfigEntry("interval.ms", "200"), AlterConfigOp.OpType.SET)))));
    }
}
