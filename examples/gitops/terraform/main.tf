provider "kubernetes" {
  config_path = ".flotilla/admin.kubeconfig"
}

resource "kubernetes_manifest" "template" {
  manifest = {
    apiVersion = "management.platform.sh/v1"
    kind       = "VirtualClusterTemplate"
    metadata   = { name = "small" }
    spec = {
      displayName = "Small"
      parameters  = [{ variable = "size", type = "number", defaultValue = "1" }]
      template    = { instanceTemplate = { metadata = { labels = { team = "web" } } } }
    }
  }
}

resource "kubernetes_manifest" "project" {
  manifest = {
    apiVersion = "management.platform.sh/v1"
    kind       = "Project"
    metadata   = { name = "web" }
    spec = {
      displayName      = "Web"
      allowedClusters  = [{ name = "*" }]
      allowedTemplates = [{ name = kubernetes_manifest.template.manifest.metadata.name }]
      quotas           = { project = { virtualclusterinstances = 10 } }
    }
  }
}

resource "kubernetes_manifest" "shop" {
  depends_on = [kubernetes_manifest.project]
  manifest = {
    apiVersion = "management.platform.sh/v1"
    kind       = "VirtualClusterInstance"
    metadata   = { name = "shop", namespace = "platform-p-web" }
    spec = {
      displayName = "Web shop"
      templateRef = { name = kubernetes_manifest.template.manifest.metadata.name }
    }
  }
  wait {
    condition {
      type   = "Ready"
      status = "True"
    }
  }
}

resource "kubernetes_manifest" "key" {
  manifest = {
    apiVersion = "management.platform.sh/v1"
    kind       = "OwnedAccessKey"
    metadata   = { name = "deploy" }
    spec       = { displayName = "Deployments" }
  }
}
