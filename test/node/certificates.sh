# create_certificates ADDRESS: the certificates and kubeconfigs of the cluster below /run/node.

create_certificates() {
  local address=$1 folder=/run/node/pki
  local names=IP:$address,IP:127.0.0.1,IP:10.96.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default
  mkdir -p "$folder"
  new_key "$folder/ca.key"
  openssl req -x509 -new -key "$folder/ca.key" -out "$folder/ca.crt" -days 2 -subj /CN=node-ca
  new_key "$folder/accounts.key"
  issue server /CN=kube-apiserver "serverAuth" \
    "$names,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
  issue admin /O=system:masters/CN=admin clientAuth
  issue kubelet /O=system:nodes/CN=system:node:node clientAuth
  write_kubeconfig admin "$address"
  write_kubeconfig kubelet "$address"
}

new_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

# issue NAME SUBJECT USAGE [ALTERNATIVE_NAMES]
issue() {
  local file=/run/node/pki/$1
  new_key "$file.key"
  openssl req -new -key "$file.key" -subj "$2" -out "$file.csr"
  printf 'extendedKeyUsage=%s\n%s\n' "$3" "${4:+subjectAltName=$4}" >"$file.extensions"
  openssl x509 -req -in "$file.csr" -CA /run/node/pki/ca.crt -CAkey /run/node/pki/ca.key -CAcreateserial -days 2 \
    -extfile "$file.extensions" -out "$file.crt" 2>/dev/null
}

write_kubeconfig() {
  local folder=/run/node/pki kubeconfig=/run/node/$1.kubeconfig
  kubectl config --kubeconfig "$kubeconfig" set-cluster node --server "https://$2:6443" \
    --certificate-authority "$folder/ca.crt" --embed-certs
  kubectl config --kubeconfig "$kubeconfig" set-credentials node --embed-certs \
    --client-certificate "$folder/$1.crt" --client-key "$folder/$1.key"
  kubectl config --kubeconfig "$kubeconfig" set-context node --cluster node --user node
  kubectl config --kubeconfig "$kubeconfig" use-context node
} >/dev/null
